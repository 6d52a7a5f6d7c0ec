package io.eventqueue.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table of text; the first column is aligned to the left, the others to the right. */
final class Table {

    private final List<List<String>> rows = new ArrayList<>();

    Table(List<String> header) {
        rows.add(List.copyOf(header));
    }

    void add(List<String> row) {
        rows.add(List.copyOf(row));
    }

    String plain() {
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            lines.add(IntStream.range(0, row.size())
                .mapToObj(column -> pad(row.get(column), column))
                .collect(Collectors.joining("  "))
                .stripTrailing());
        }
        return String.join("\n", lines) + "\n";
    }

    private String pad(String cell, int column) {
        int width = rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
        String space = " ".repeat(width - cell.length());
        return column == 0 ? cell + space : space + cell;
    }

    String markdown() {
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            lines.add("| " + String.join(" | ", row) + " |");
        }
        int columns = rows.getFirst().size();
        lines.add(1, "|"
                + IntStream.range(0, columns).mapToObj(i -> i == 0 ? "---|" : "---:|").collect(Collectors.joining()));
        return String.join("\n", lines) + "\n";
    }

}
