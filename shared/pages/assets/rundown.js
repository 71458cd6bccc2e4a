/**
 * Progressive enhancement: local times, copy buttons, dependent check boxes, arrow keys in strips, live parts, the
 * search and shortcuts, and the code of a link. Every task works without it.
 */
const POLL_MILLISECONDS = 2000;
const SLOWEST_POLL_MILLISECONDS = 30_000;
const FAILURES_TO_SAY = 2;
/** After a page was read again, the pause is at least this many times as long as that took. */
const REST = 10;

const html = globalThis.trustedTypes
  ? globalThis.trustedTypes.createPolicy('rundown', { createHTML: (text) => text })
  : { createHTML: (text) => text };

/** Writes times as the pages from the server do, such as `21 Nov 2026, 19:05`. */
const TIME = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

const localTimes = (root) => {
  for (const time of root.querySelectorAll('time[datetime]')) {
    const text = TIME.format(new Date(time.dateTime));
    if (time.dataset.full === undefined) time.title = text;
    else time.textContent = text;
  }
  for (const zone of root.querySelectorAll('.zone')) zone.textContent = 'Times in your time zone, days in UTC';
};

/** Screen readers read a change of this element. */
const status = document.createElement('p');
status.setAttribute('role', 'status');
status.className = 'hidden-text';
document.body.append(status);

/** A text that is there from the start is not read, so it is said again. */
const said = document.querySelector('#said');
if (said) setTimeout(() => (status.textContent = said.textContent), 500);

const readCopied = async ({ copy, copyFrom }) => {
  if (copy !== undefined) return copy;
  const answer = await fetch(copyFrom, { redirect: 'error' });
  if (!answer.ok) throw new Error(`${copyFrom} returned ${answer.status}`);
  return answer.text();
};

const SAID_MILLISECONDS = 1500;

/** The style sheet shows `data-said` beside the button, whose content stays. */
const copyButtons = (root) => {
  for (const button of root.querySelectorAll('button[data-copy], button[data-copy-from]')) {
    button.hidden = false;
    let waiting;
    button.addEventListener('click', async () => {
      const said = await readCopied(button.dataset)
        .then((text) => navigator.clipboard.writeText(text))
        .then(
          () => 'Copied',
          () => 'Not copied. Try again',
        );
      button.dataset.said = said;
      status.textContent = said;
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        delete button.dataset.said;
        status.textContent = '';
      }, SAID_MILLISECONDS);
    });
  }
};

/** Parses a page, and adds the icons that only it uses to those of this page. */
const parsePage = (text) => {
  const page = new DOMParser().parseFromString(html.createHTML(text), 'text/html');
  for (const symbol of page.querySelectorAll('symbol')) {
    if (!document.getElementById(symbol.id)) document.querySelector('symbol').parentNode.append(symbol);
  }
  return page;
};

/** What identifies an element among its siblings: its id or label, the link of an item, or the heading of a section. */
const keyOf = (node) => {
  if (node.nodeType !== Node.ELEMENT_NODE) return node.nodeName;
  const name = node.id || node.getAttribute('aria-label');
  const item = node.matches('li, tr, article') && node.querySelector('a')?.getAttribute('href');
  const heading = node.matches('section') && node.querySelector('h2')?.textContent;
  return `${node.localName} ${name || item || heading || ''}`;
};

/** Changes only what differs, so that focus, selection, open parts and scroll positions stay. */
const merge = (old, fresh) => {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeType !== Node.ELEMENT_NODE) {
    old.nodeValue = fresh.nodeValue;
    return;
  }
  for (const name of old.getAttributeNames()) {
    if (!fresh.hasAttribute(name) && !(name === 'open' && old.matches('details'))) old.removeAttribute(name);
  }
  for (const name of fresh.getAttributeNames()) {
    if (old.getAttribute(name) !== fresh.getAttribute(name)) old.setAttribute(name, fresh.getAttribute(name));
  }
  const left = [...old.childNodes];
  const pairs = [...fresh.childNodes].map((child) => {
    const key = keyOf(child);
    const place = left.findIndex((one) => keyOf(one) === key);
    return { child, match: place === -1 ? child : left.splice(place, 1)[0] };
  });
  for (const child of left) child.remove();
  let next = old.firstChild;
  for (const { child, match } of pairs) {
    if (match !== child) merge(match, child);
    if (match === next) next = next.nextSibling;
    else old.insertBefore(match, next);
  }
};

/** Reads the page again. Returns the answer, or `undefined` if there was none. */
const readAgain = async () => {
  const answer = await fetch(location.href, { redirect: 'manual' }).catch(() => undefined);
  if (!answer?.ok) return answer;
  const page = parsePage(await answer.text());
  const fresh = page.querySelector('main');
  // What is new may need a style sheet that the page could do without so far.
  for (const sheet of page.querySelectorAll('link[rel="stylesheet"]'))
    if (!document.querySelector(`link[href="${sheet.getAttribute('href')}"]`)) document.head.append(sheet);
  enhance(fresh);
  merge(document.querySelector('main'), fresh);
  document.title = page.title;
  return answer;
};

/** Says that the page is not up to date. Without a text, nothing is said. */
const sayStale = (text, ...controls) => {
  document.querySelector('#stale')?.remove();
  document.body.classList.toggle('stale', Boolean(text));
  if (!text) return;
  const notice = document.createElement('div');
  notice.id = 'stale';
  notice.className = 'notice flaky';
  notice.setAttribute('role', 'status');
  notice.append(`${text} `, ...controls);
  document.body.append(notice);
};

const reloadLink = (text) => {
  const link = document.createElement('a');
  link.href = location.href;
  link.append(text);
  return link;
};

/**
 * Asks while the page is visible whether it has changed, and then reads it again. Waits longer while the service does
 * not answer, and after a page that took long. `told`: the tag of the last change.
 */
const follow = ({ pause = POLL_MILLISECONDS, told, failures = 0, since = new Date() } = {}) => {
  const part = document.querySelector('main [data-live]');
  if (!part) return;
  const ask = async () => {
    if (document.hidden) return follow({ pause, told, failures, since });
    const { live, state } = part.dataset;
    const headers = { 'If-None-Match': state };
    const began = performance.now();
    const poll = await fetch(live, { headers, redirect: 'manual' }).catch(() => undefined);
    const answer = poll?.ok ? await readAgain() : poll;
    if (answer?.ok || answer?.status === 304) {
      sayStale();
      const tag = poll.headers.get('etag');
      // The page may have been read from a replica that is behind, or shows the change only later.
      const isRepeated = answer.ok && tag === told;
      const longer = isRepeated ? pause * 2 : REST * (answer.ok ? performance.now() - began : 0);
      return follow({ pause: Math.min(SLOWEST_POLL_MILLISECONDS, Math.max(POLL_MILLISECONDS, longer)), told: tag });
    }
    const time = since.toLocaleTimeString(undefined, { timeStyle: 'short' });
    if (answer?.type === 'opaqueredirect')
      return sayStale(`Your session has ended. Not updated since ${time}.`, reloadLink('Sign in again'));
    if (answer && answer.status < 500 && answer.status !== 429)
      return sayStale(`This page is not updated any more.`, reloadLink('Reload'));
    const waiting = { pause: Math.min(pause * 1.5, SLOWEST_POLL_MILLISECONDS), told, failures: failures + 1, since };
    const timer = follow(waiting);
    if (waiting.failures < FAILURES_TO_SAY) return;
    const retry = document.createElement('button');
    retry.type = 'button';
    retry.className = 'quiet small';
    retry.append('Retry');
    retry.addEventListener('click', () => {
      clearTimeout(timer);
      follow({ ...waiting, pause: 0 });
    });
    sayStale(`Not updated since ${time}.`, retry);
  };
  return setTimeout(ask, pause);
};

/** Menus close on Escape, on a click elsewhere and when another one opens. Arrow keys move between their links. */
const closeMenus = (except) => {
  for (const menu of document.querySelectorAll('details.menu[open]')) if (menu !== except) menu.open = false;
};

addEventListener('click', ({ target }) => closeMenus(target.closest('details.menu')));

addEventListener('keydown', (event) => {
  const menu = document.activeElement.closest('details.menu[open]') ?? document.querySelector('details.menu[open]');
  if (!menu || document.querySelector('dialog[open]')) return;
  if (event.key === 'Escape') {
    const hadFocus = menu.contains(document.activeElement);
    closeMenus();
    if (hadFocus) menu.querySelector('summary').focus();
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || !menu.contains(event.target) || event.target.closest('input, select, textarea')) return;
  const places = [...menu.querySelectorAll('summary, a, button')];
  places[Math.max(0, Math.min(places.length - 1, places.indexOf(document.activeElement) + step))].focus();
  event.preventDefault();
});

/** Adds the values that the page of the address `data-suggestions` suggests for the field of the same name. */
const addSuggestions = async (filters) => {
  const { suggestions } = filters.dataset;
  if (!suggestions) return;
  delete filters.dataset.suggestions;
  const answer = await fetch(suggestions, { redirect: 'error' }).catch(() => undefined);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(html.createHTML(await answer.text()), 'text/html');
  for (const list of filters.querySelectorAll('datalist')) {
    const known = page.getElementById(list.id);
    if (known) list.replaceChildren(...known.children);
  }
};

/** Typing goes into the field of an opened filter. For a finger, the keyboard would cover the choices. */
addEventListener(
  'toggle',
  ({ target }) => {
    if (!target.matches('.filter-bar details[open]')) return;
    if (matchMedia('(hover: hover)').matches) target.querySelector('input:not([type="checkbox"]), select')?.focus();
    return addSuggestions(target.closest('form'));
  },
  { capture: true },
);

/** Leaves empty fields, and dates that nobody changed, out of the address of a list. */
addEventListener('submit', ({ target }) => {
  if (!target.matches('.filter-bar')) return;
  const sent = new URLSearchParams(location.search);
  for (const field of target.querySelectorAll('input, select')) {
    const isUntouched = field.type === 'date' && field.value === field.defaultValue && !sent.has(field.name);
    field.disabled ||= field.value === '' || isUntouched;
  }
});

/** A page that the browser kept has its fields as they were sent. */
addEventListener('pageshow', () => {
  for (const field of document.querySelectorAll('.filter-bar :disabled')) field.disabled = false;
});

/** The switcher lists the projects of the organization when it is opened. */
const switcher = document.querySelector('details[data-projects]');
switcher?.addEventListener('toggle', async () => {
  const list = switcher.querySelector('[data-list]');
  if (!switcher.open || list.children.length > 0) return;
  const answer = await fetch(switcher.dataset.projects, { redirect: 'error' }).catch(() => undefined);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(html.createHTML(await answer.text()), 'text/html');
  for (const link of page.querySelectorAll('#projects a')) {
    link.removeAttribute('class');
    if (location.pathname.startsWith(link.pathname.replace(/runs$/, ''))) link.setAttribute('aria-current', 'true');
    list.append(link);
  }
});

/** Write permissions include the matching read permission. */
const inclusions = (root) => {
  for (const box of root.querySelectorAll('input[data-includes]')) {
    const included = box.form.querySelector(`input[name="${box.name}"][value="${CSS.escape(box.dataset.includes)}"]`);
    box.addEventListener('change', () => {
      included.checked ||= box.checked;
    });
    included.addEventListener('change', () => {
      box.checked &&= included.checked;
    });
  }
};

/** A strip is a single tab stop; arrow keys move within it. */
const STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

const strips = (root) => {
  for (const strip of root.querySelectorAll('.strip')) {
    strip.addEventListener('keydown', (event) => {
      const links = [...strip.querySelectorAll('a')];
      const step = event.altKey || event.ctrlKey || event.metaKey ? undefined : STEPS[event.key];
      if (step === undefined) return;
      const target = links[Math.max(0, Math.min(links.length - 1, links.indexOf(event.target) + step))];
      for (const link of links) link.tabIndex = link === target ? 0 : -1;
      target?.focus();
      event.preventDefault();
    });
  }
};

/** Opens a dialog. Escape or a click beside the dialog closes it, which also removes it from the page. */
const openDialog = (label, ...children) => {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-label', label);
  dialog.append(...children);
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
};

/** Shows the page of a file in a dialog. Its links and the arrow keys lead to the other files of the test. */
const showFile = async (dialog, href) => {
  const answer = await fetch(href, { redirect: 'error' }).catch(() => undefined);
  const file = parsePage((await answer?.text()) ?? '').querySelector('#file');
  if (!file) return location.assign(href);
  file.tabIndex = -1;
  dialog.replaceChildren(file);
  dialog.setAttribute('aria-label', file.getAttribute('aria-label'));
  return file.focus();
};

addEventListener('click', (event) => {
  const { target, button, altKey, ctrlKey, metaKey, shiftKey } = event;
  const link = target.closest?.('a[data-view], dialog .back');
  if (!link || button !== 0 || altKey || ctrlKey || metaKey || shiftKey) return;
  event.preventDefault();
  const openedDialog = link.closest('dialog');
  if (!link.hasAttribute('data-view')) return openedDialog.close();
  const dialog = openedDialog ?? openDialog('File');
  dialog.className = 'viewer';
  if (!openedDialog) {
    dialog.addEventListener('keydown', ({ key, target: element }) => {
      const direction = { ArrowLeft: 'prev', ArrowRight: 'next' }[key];
      if (direction && !element.matches('video')) dialog.querySelector(`a[rel="${direction}"]`)?.click();
    });
  }
  void showFile(dialog, link.href);
});

const SEARCH_PAUSE_MILLISECONDS = 150;

/** Shows results of the search page while the person types. Submitting the form opens that page. */
const openSearch = () => {
  const form = document.querySelector('.side form').cloneNode(true);
  // The dialog is open, so its field needs no hint at the key that opens it.
  form.querySelector('kbd').remove();
  const input = form.querySelector('input');
  const results = document.createElement('div');
  results.setAttribute('aria-live', 'polite');
  const dialog = openDialog('Search', form, results);
  input.focus();
  let waiting;
  let request;
  input.addEventListener('input', () => {
    clearTimeout(waiting);
    request?.abort();
    waiting = setTimeout(async () => {
      request = new AbortController();
      const url = `${form.action}?${new URLSearchParams(new FormData(form))}`;
      const answer = await fetch(url, { signal: request.signal, redirect: 'error' }).catch(() => undefined);
      if (!answer?.ok) return;
      const found = parsePage(await answer.text()).querySelector('#results');
      results.replaceChildren(...found.childNodes);
      localTimes(results);
    }, SEARCH_PAUSE_MILLISECONDS);
  });
  dialog.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const places = [input, ...results.querySelectorAll('a.whole-link')];
    places[Math.max(0, Math.min(places.length - 1, places.indexOf(document.activeElement) + step))].focus();
    event.preventDefault();
  });
};

const FAILURE_SHORTCUTS = { 'n, j': 'Next failure', 'p, k': 'Previous failure' };
const SHORTCUTS = {
  '/': 'Search',
  'g p': 'Switch the project',
  Esc: 'Close a menu or a dialog',
  '?': 'These shortcuts',
};

const openHelp = () => {
  const title = document.createElement('h2');
  const list = document.createElement('dl');
  const close = document.createElement('form');
  const button = document.createElement('button');
  title.textContent = 'Keyboard shortcuts';
  list.className = 'keys';
  close.method = 'dialog';
  button.className = 'quiet';
  button.textContent = 'Close';
  close.append(button);
  const hasFailures = document.querySelector('.failure h3 a, .way a') !== null;
  const ofPage = hasFailures ? FAILURE_SHORTCUTS : {};
  for (const [key, meaning] of Object.entries({ ...ofPage, ...SHORTCUTS, 'Ctrl K': 'Search' })) {
    const term = document.createElement('dt');
    const name = document.createElement('kbd');
    const text = document.createElement('dd');
    name.append(key);
    term.append(name);
    text.append(meaning);
    list.append(term, text);
  }
  openDialog('Keyboard shortcuts', title, list, close).classList.add('help');
};

/** Moves the focus to the next or previous failed test of the page. On the page of a failure, opens the next one. */
const moveToFailure = (step) => {
  const links = [...document.querySelectorAll('.failure h3 a')];
  if (links.length === 0) document.querySelector(`.way a[rel="${step > 0 ? 'next' : 'prev'}"]`)?.click();
  const place = links.indexOf(document.activeElement);
  const next = place === -1 ? (step > 0 ? 0 : links.length - 1) : place + step;
  links[next]?.focus();
};

const NO_SHORTCUTS = 'no-shortcuts';
/** The key before, for shortcuts of two keys. */
let lastKey;

/** WCAG 2.1.4: shortcuts of a single key do nothing in fields, and people can switch them off on the account page. */
addEventListener('keydown', (event) => {
  const { key, target } = event;
  if (document.querySelector('dialog[open]')) return;
  const hasSearch = document.querySelector('.side form');
  if (key === 'k' && (event.ctrlKey || event.metaKey) && hasSearch) {
    event.preventDefault();
    openSearch();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || localStorage.getItem(NO_SHORTCUTS)) return;
  if (target.closest('input, textarea, select, [contenteditable]')) return;
  if (key === '/' && hasSearch) {
    event.preventDefault();
    openSearch();
  }
  if (key === '?') openHelp();
  if (key === 'p' && lastKey === 'g' && switcher) {
    lastKey = undefined;
    switcher.open = true;
    switcher.querySelector('summary').focus();
    return;
  }
  lastKey = key;
  if (key === 'n' || key === 'j') moveToFailure(1);
  if (key === 'p' || key === 'k') moveToFailure(-1);
});

for (const hint of document.querySelectorAll('kbd[hidden]')) hint.hidden = Boolean(localStorage.getItem(NO_SHORTCUTS));

/** The switch for shortcuts, on the account page. */
const shortcutSwitch = document.querySelector('input[name="shortcuts"]');
if (shortcutSwitch) {
  shortcutSwitch.closest('[hidden]').hidden = false;
  shortcutSwitch.checked = !localStorage.getItem(NO_SHORTCUTS);
  shortcutSwitch.addEventListener('change', () =>
    shortcutSwitch.checked ? localStorage.removeItem(NO_SHORTCUTS) : localStorage.setItem(NO_SHORTCUTS, 'yes'),
  );
}

/** Moves the border between two compared pictures. Without a script, they are compared in other ways. */
const sliders = (root) => {
  for (const range of root.querySelectorAll('input.split')) {
    range.closest('.snapshot').querySelector('span[hidden]').hidden = false;
    range.addEventListener('input', () => range.parentElement.style.setProperty('--split', range.value / 100));
  }
};

const enhance = (root) => {
  sliders(root);
  localTimes(root);
  copyButtons(root);
  inclusions(root);
  strips(root);
};

enhance(document);
follow();

/** The code of a link is in the URL fragment, so that it never appears in server logs. */
const code = document.querySelector('input[data-from-fragment]');
if (code && location.hash.length > 1) {
  code.value = location.hash.slice(1);
  history.replaceState(null, '', location.pathname + location.search);
  if (code.dataset.fromFragment === 'submit') code.form.requestSubmit();
}
