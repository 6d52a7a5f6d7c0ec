'use strict';

const form = document.querySelector('#order');
const message = document.querySelector('#message');
const list = document.querySelector('#orders');

/** What a delivery looks like: [class, text]. */
function appearance({state, attempts, running, nextAttemptAt}) {
  if (state === 'SUCCEEDED') return ['done', attempts > 1 ? `done, attempt ${attempts}` : 'done'];
  if (state === 'DEAD' || state === 'EXPIRED') return ['dead', `${state}, attempt ${attempts}`];
  if (running) return ['run', `running, attempt ${attempts}`];
  if (state === 'FAILED') {
    const seconds = Math.max(0, Math.ceil((new Date(nextAttemptAt) - Date.now()) / 1000));
    return ['retry', `failed ${attempts}×, again in ${seconds} s`];
  }
  return ['wait', 'waiting'];
}

function element(tag, className, text) {
  const node = document.createElement(tag);
  node.className = className;
  node.textContent = text ?? '';
  return node;
}

function row(order) {
  const item = element('li', 'order');
  item.dataset.id = order.id;
  const what = element('div', 'what', `${order.quantity} × ${order.item}`);
  what.append(element('small', '', `order ${order.id} of ${order.customer} · ${order.eventStatus ?? 'in no log any more'}`));
  const handlers = element('div', 'handlers');
  for (const notification of order.notifications) {
    const [className, text] = appearance(notification);
    const handler = element('div', `handler ${className}`, '');
    handler.append(element('b', '', notification.handler), text);
    handler.title = notification.lastError ?? '';
    handlers.append(handler);
  }
  if (order.notifications.length === 0) handlers.append(element('div', 'handler wait', 'to be fanned out'));
  item.append(what, handlers);
  return item;
}

const open = order => order.eventStatus === 'PENDING' || order.eventStatus === 'DELIVERED';

async function refresh() {
  let pause = 2000;
  try {
    const orders = await (await fetch('orders')).json();
    list.replaceChildren(...orders.map(row));
    const unfinished = orders.filter(open).length;
    document.querySelector('#empty').hidden = orders.length > 0;
    document.querySelector('#summary').textContent = orders.length === 0 ? '' : unfinished === 0 ? 'all finished' : `${unfinished} under way`;
    if (message.dataset.away) say('It is back.');
    if (unfinished > 0) pause = 300;
  } catch {
    say('The application does not answer. Start it again: what was ordered is in the database.', true);
    message.dataset.away = 'yes';
    pause = 1000;
  }
  clearTimeout(refresh.timer);
  refresh.timer = setTimeout(refresh, pause);
}

function say(text, bad = false) {
  message.textContent = text;
  message.classList.toggle('bad', bad);
  delete message.dataset.away;
}

async function place() {
  const fields = Object.fromEntries(new FormData(form));
  const response = await fetch('orders', {
    method: 'POST',
    headers: {'Content-Type': 'application/json'},
    body: JSON.stringify({...fields, quantity: Number(fields.quantity)}),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer.id;
}

async function placeSome(count) {
  try {
    const ids = await Promise.all(Array.from({length: count}, place));
    say(count === 1 ? `Order ${ids[0]} is placed.` : `${count} orders are placed.`);
  } catch (error) {
    say(error.message, true);
  }
  await refresh();
}

form.addEventListener('submit', event => { event.preventDefault(); placeSome(1); });
document.querySelector('#ten').addEventListener('click', () => form.reportValidity() && placeSome(10));
refresh();
