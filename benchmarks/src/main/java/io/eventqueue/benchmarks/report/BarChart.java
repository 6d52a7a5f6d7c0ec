package io.eventqueue.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Writes horizontal bars as SVG: one panel for each phase, two panels side by side, every
 * bar with its value.
 */
final class BarChart {

    private static final int PANEL_WIDTH = 520;

    private static final int LABEL_WIDTH = 130;

    private static final int BAR_WIDTH = 300;

    private static final int BAR_HEIGHT = 18;

    private static final int ROW_HEIGHT = 24;

    private static final int HEADER = 40;

    private static final int FOOTER = 56;

    private static final int MARGIN = 20;

    /** One contender's value. */
    record Bar(String label, double value) {
    }

    /**
     * The bars of one phase.
     *
     * @param axisTitle what the values are
     */
    record Panel(String title, String axisTitle, boolean logarithmic, List<Bar> bars) {

        Axis axis() {
            double largest = bars.stream().mapToDouble(Bar::value).max().orElse(1);
            double smallest = bars.stream().mapToDouble(Bar::value).min().orElse(1);
            return logarithmic ? Axis.logarithmic(smallest, largest) : Axis.linear(largest);
        }

        int height() {
            return HEADER + bars.size() * ROW_HEIGHT + FOOTER;
        }

    }

    private final String highlighted;

    private final String caption;

    private final List<Panel> panels = new ArrayList<>();

    private final StringBuilder svg = new StringBuilder();

    BarChart(String highlighted, String caption) {
        this.highlighted = highlighted;
        this.caption = caption;
    }

    void add(Panel panel) {
        panels.add(panel);
    }

    String svg() {
        svg.setLength(0);
        int top = MARGIN;
        for (int i = 0; i < panels.size(); i += 2) {
            List<Panel> row = panels.subList(i, Math.min(i + 2, panels.size()));
            for (int column = 0; column < row.size(); column++) {
                draw(row.get(column), MARGIN + column * PANEL_WIDTH, top);
            }
            top += row.stream().mapToInt(Panel::height).max().orElse(0);
        }
        text(MARGIN, top + 14, "start", 11, "#555", caption);
        int width = 2 * MARGIN + Math.clamp(panels.size(), 1, 2) * PANEL_WIDTH;
        int height = top + 30;
        return """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" \
                font-family="system-ui, sans-serif">
                <rect width="100%%" height="100%%" fill="#fff"/>
                """.formatted(width, height, width, height) + svg + "</svg>\n";
    }

    private void draw(Panel panel, int left, int top) {
        int zero = left + LABEL_WIDTH;
        int first = top + HEADER;
        int bottom = first + panel.bars().size() * ROW_HEIGHT;
        Axis axis = panel.axis();
        text(left, top + 20, "start", 15, "#111", panel.title());
        for (double tick : axis.ticks()) {
            double x = zero + axis.position(tick) * BAR_WIDTH;
            svg.append(
                    String.format(Locale.ROOT, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#ddd\"/>%n",
                            x, first - 4, x, bottom + 4));
            text(x, bottom + 18, "middle", 11, "#555", Axis.label(tick));
        }
        text(zero + BAR_WIDTH / 2.0, bottom + 36, "middle", 11, "#555", panel.axisTitle());
        for (int i = 0; i < panel.bars().size(); i++) {
            Bar bar = panel.bars().get(i);
            int y = first + i * ROW_HEIGHT;
            double width = Math.max(1, axis.position(bar.value()) * BAR_WIDTH);
            String color = bar.label().equals(highlighted) ? "#d9480f" : "#4c6ef5";
            text(zero - 8, y + 13, "end", 12, "#111", bar.label());
            svg.append(
                    String.format(Locale.ROOT, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
                            zero, y, width, BAR_HEIGHT, color));
            text(zero + width + 6, y + 13, "start", 12, "#111", Axis.label(bar.value()));
        }
    }

    private void text(double x, double y, String anchor, int size, String color, String content) {
        String escaped = content.replace("&", "&amp;").replace("<", "&lt;");
        svg.append(String.format(Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\" fill=\"%s\">%s</text>%n", x, y, anchor,
                size, color, escaped));
    }

}
