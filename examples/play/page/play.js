'use strict';

const $ = (id) => document.getElementById(id);
const WATCH = 2000;     // milliseconds
const SVG = 'http://www.w3.org/2000/svg';
/* A tenth of all visitors get popular films, and one list of fifty is random, for comparison. */
const TREATMENTS = {
  personal: 'These ten are chosen for you.',
  control: 'These ten are the most popular: you are in the control group, a tenth of all visitors. ' +
    'A new tab makes you a new visitor.',
  random: 'These ten are random, as one list of fifty is. Ask for the next ten.'};
let page = null;        // the latest answer of the server about a page
let busy = false;

/* Make an element: make('li', {class: 'used'}, 'text', child) */
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function draw(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes))
    element.setAttribute(key, value);
  if (text !== undefined)
    element.textContent = text;
  return element;
}

async function call(path, body) {
  const reply = await fetch(path, body === undefined ? {} : {
    method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)});
  const answer = await reply.json();
  if (!reply.ok)
    throw new Error(answer.error);
  return answer;
}

function complain(error) {
  const text = error instanceof TypeError ? 'The server does not answer: is it still running?' : error.message;
  $('problem').textContent = text;
  $('problem').hidden = false;
}

/* One action at a time: a click during an action would refer to a page that is about to be replaced. */
async function act(work) {
  if (busy)
    return;
  busy = true;
  $('next').disabled = true;
  try {
    await work();
    $('problem').hidden = true;
  } catch (error) {
    complain(error);
  }
  busy = false;
  $('next').disabled = false;
}

/* ---------- the visitor ---------- */

/* The session storage survives a reload, and each tab has a separate one.  A duplicated tab has a copy, and so the
 * same visitor. */
function visit() {
  return act(async () => {
    const last = JSON.parse(sessionStorage.getItem('visitor') || '{}');
    const answer = await call('/api/visit', last);
    sessionStorage.setItem('visitor', JSON.stringify({run: answer.run, visitor: answer.visitor}));
    $('visitor').textContent = `visitor ${answer.visitor}`;
    $('taste').replaceChildren(...answer.tastes.map((taste) => make('option', {}, taste)));
    showPage(answer);
    await watch();
  });
}

function next() {
  return act(async () => {
    showPage(await call('/api/next', {visitor: page.visitor}));
    $('status').textContent = 'The next ten are chosen by your likes so far.';
    await watch();
  });
}

function like(film, button) {
  return act(async () => {
    const likes = !film.liked;
    const answer = await call('/api/like', {
      visitor: page.visitor, decision: page.decision, film: film.id, likes});
    film.liked = likes;
    button.setAttribute('aria-pressed', likes);
    showLiked(answer.liked);
    showExecuted($('executed'), [...answer.executed, ...page.executed]);
    $('status').textContent = 'The model is trained on your like with the next ten.';
  });
}

/* ---------- the page ---------- */

function showPage(answer) {
  page = answer;
  $('films').replaceChildren(...page.films.map(card));
  $('treatment').textContent = TREATMENTS[page.films[0].treatment];
  showLiked(page.liked);
  showExecuted($('executed'), page.executed);
}

function hue(text) {
  let sum = 0;
  for (const letter of text)
    sum = (sum * 31 + letter.codePointAt(0)) % 360;
  return sum;
}

function card(film) {
  const button = make('button', {type: 'button', 'aria-pressed': film.liked},
    make('span', {class: 'title'}, film.title), make('span', {class: 'heart', 'aria-hidden': 'true'}));
  button.addEventListener('click', () => like(film, button));
  const element = make('li', {'data-genres': film.genres.join('|')}, button,
    make('p', {class: 'genres'}, film.genres.join(', ') || 'no genre'),
    make('div', {class: 'explanation'},
      film.error === null
        ? make('p', {}, 'From the log of what others watched: nobody has clicked anything here yet.')
        : make('p', {}, 'expected ', make('b', {}, film.expected.toFixed(2)), ` ± ${film.error.toFixed(2)}, probability `,
          make('b', {}, film.probability.toFixed(2))),
      make('p', {}, film.parts.slice(0, 3).map(contribution).join(', ')),
      make('p', {}, ...nearest(film))));
  element.style.setProperty('--genre', `hsl(${hue(film.genres[0] || '')} 60% 55%)`);
  return element;
}

function contribution({part, contribution: value}) {
  return `${part} ${value < 0 ? '\u2212' : '+'}${Math.abs(value).toFixed(2)}`;
}

function nearest(film) {
  if (film.nearest === null)
    return ['no likes yet'];
  return ['most similar: ', make('b', {}, film.nearest), ` (${film.cosine.toFixed(2)})`];
}

function showLiked(titles) {
  $('liked').replaceChildren(...titles.map((title) => make('li', {}, title)));
  $('liked-count').textContent = titles.length ? `(${titles.length})` : 'nothing yet';
}

/* ---------- SQL ---------- */

function showExecuted(place, statements) {
  place.replaceChildren(...statements.map((statement) => {
    const copy = make('button', {type: 'button', 'aria-label': `Copy ${statement.name}`}, 'Copy');
    copy.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(statement.sql);
        copy.textContent = 'Copied';
      } catch {
        getSelection().selectAllChildren(copy.closest('figure').querySelector('pre'));
        copy.textContent = 'Selected';
      }
    });
    return make('figure', {'data-name': statement.name},
      make('figcaption', {}, make('b', {}, statement.name.replace('_', ' ')),
        `${count(statement.rows, 'row')}, ${statement.milliseconds.toFixed(1)} ms`, copy),
      make('pre', {tabindex: 0}, ...highlight(statement.sql)));
  }));
}

function highlight(sql) {
  return sql.split(/(^--.*$|dlints_\w+)/m).map((part) => {
    if (part.startsWith('--'))
      return make('span', {class: 'comment'}, part);
    return part.startsWith('dlints_') ? make('span', {class: 'dlints'}, part) : part;
  });
}

function count(number, what) {
  return `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;
}

/* ---------- everybody ---------- */

async function watch() {
  const answer = await call(`/api/crowd?visitor=${page.visitor}`);
  showMemory(answer.memory);
  showReport(answer.report);
  showRobots(answer.robots);
  showGenres(answer.genres);
  showPages(answer.pages);
  if (!$('watched').parentElement.open)
    showExecuted($('watched'), answer.executed);
}

function showMemory(memory) {
  $('memory').textContent = `Memory ${memory.memory} of ${memory.memories} is in use.`;
  const facts = {
    'training examples': memory.updates.toLocaleString('en'),
    'effective sample size': Math.round(memory.effective_sample_size).toLocaleString('en'),
    'of these, the prior': Math.round(memory.prior_sample_size || 0).toLocaleString('en'),
    'mean reward': memory.mean_reward === null ? '–' : `${(100 * memory.mean_reward).toFixed(0)} %`,
    'noise (standard deviation)': memory.sigma === null ? '–' : memory.sigma.toFixed(2),
    'size of the model': `${(memory.bytes / 1024).toFixed(0)} kB`};
  $('facts').replaceChildren(...Object.entries(facts).flatMap(
    ([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
}

function showReport(rows) {
  $('report').replaceChildren(...rows.map((row) => make('tr', {},
    make('th', {scope: 'row'}, row.measure),
    make('td', {}, row.value === null ? '–' : number(row.value)),
    make('td', {}, row.error === null ? '' : `± ${number(row.error)}`),
    make('td', {}, row.meaning))));
}

function number(value) {
  return value.toLocaleString('en', {maximumFractionDigits: 2});
}

function showRobots(robots) {
  if (document.activeElement !== $('taste'))
    $('taste').value = robots.taste;
  $('robots').setAttribute('aria-pressed', robots.on);
  $('robots').textContent = robots.on ? 'Switch off' : 'Switch on';
  $('crowd').textContent = robots.problem ? `The robots stopped: ${robots.problem}` :
    robots.on ? `They have seen ${count(robots.pages, 'page')}.` :
    robots.pages ? `They saw ${count(robots.pages, 'page')}.` : 'Nobody else is here.';
}

function showGenres(rows) {
  const most = Math.max(1, ...rows.map((row) => row.likes));
  const svg = draw('svg', {viewBox: `0 0 300 ${Math.max(1, rows.length) * 20}`, role: 'img',
    'aria-label': 'Likes by genre: ' + (rows.map((row) => `${row.genre} ${row.likes}`).join(', ') || 'none yet')});
  rows.forEach((row, i) => {
    const [all, yours] = [row.likes, row.yours].map((likes) => 165 * likes / most);
    svg.append(draw('text', {x: 0, y: 20 * i + 14}, row.genre),
      draw('rect', {class: 'all', x: 90, y: 20 * i + 3, width: all, height: 14, rx: 2}),
      draw('rect', {class: 'yours', x: 90, y: 20 * i + 3, width: yours, height: 14, rx: 2}),
      draw('text', {x: 96 + all, y: 20 * i + 14}, row.likes));
  });
  if (!rows.length)
    svg.append(draw('text', {x: 0, y: 14}, 'nothing yet'));
  $('genres').replaceChildren(svg);
}

function showPages(rows) {
  const most = Math.max(2, ...rows.map((row) => row.likes));
  const [width, height] = [300, 100];
  const x = (i) => 24 + (width - 28) * (rows.length > 1 ? i / (rows.length - 1) : 1);
  const y = (likes) => height - 6 - (height - 16) * likes / most;
  const total = rows.reduce((sum, row) => sum + row.pages, 0);
  const svg = draw('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label':
    `Likes per page over the last ${total} pages: ` + rows.map((row) => row.likes.toFixed(1)).join(', ')});
  for (const likes of [0, most])
    svg.append(draw('line', {class: 'grid', x1: 24, x2: width, y1: y(likes), y2: y(likes)}),
      draw('text', {x: 0, y: y(likes) + 4}, likes.toFixed(likes % 1 ? 1 : 0)));
  svg.append(draw('polyline', {class: 'line', points: rows.map((row, i) => `${x(i)},${y(row.likes)}`).join(' ')}));
  $('pages').replaceChildren(svg);
}

function robots(on) {
  return call('/api/robots', {on, taste: $('taste').value})
    .then((answer) => showRobots(answer.robots)).catch(complain);
}

$('next').addEventListener('click', next);
$('robots').addEventListener('click', () => robots($('robots').getAttribute('aria-pressed') !== 'true'));
$('taste').addEventListener('change', () => robots($('robots').getAttribute('aria-pressed') === 'true'));
setInterval(() => {
  if (page && !document.hidden)
    watch().catch(complain);
}, WATCH);
visit();
