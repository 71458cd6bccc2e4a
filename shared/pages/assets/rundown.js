/**
 * Progressive enhancement: local times, copy buttons, dependent check boxes, arrow keys in strips, live parts, the
 * search and shortcuts, and the code of a link. Every task works without it.
 */
const POLL_MILLISECONDS = 2000;
const SLOWEST_POLL_MILLISECONDS = 30_000;

const html = globalThis.trustedTypes
  ? globalThis.trustedTypes.createPolicy('rundown', { createHTML: (text) => text })
  : { createHTML: (text) => text };

const localTimes = (root) => {
  for (const time of root.querySelectorAll('time[data-full]')) {
    const date = new Date(time.dateTime);
    time.title = time.textContent;
    time.textContent = date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  }
  for (const zone of root.querySelectorAll('.zone')) zone.textContent = 'Times in your time zone';
};

const copyButtons = (root) => {
  for (const button of root.querySelectorAll('button[data-copy], button[data-copy-from]')) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      const { copy, copyFrom } = button.dataset;
      const text = copy ?? (await (await fetch(copyFrom)).text());
      await navigator.clipboard.writeText(text);
      const label = button.textContent;
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = label;
      }, 1500);
    });
  }
};

/** Polls a fragment while the page is visible, with backoff while the service does not answer. */
const poll = (part, pause = POLL_MILLISECONDS, eTag = undefined) =>
  setTimeout(async () => {
    if (document.hidden) return poll(part, pause, eTag);
    const headers = eTag ? { 'If-None-Match': eTag } : {};
    const answer = await fetch(part.dataset.live, { headers, redirect: 'error' }).catch(() => undefined);
    if (answer?.status === 304) return poll(part, POLL_MILLISECONDS, eTag);
    if (!answer || answer.status >= 500) return poll(part, Math.min(pause * 1.5, SLOWEST_POLL_MILLISECONDS), eTag);
    if (!answer.ok) return undefined;
    const focused = document.activeElement?.id;
    const open = [...part.querySelectorAll('details[open][id]')].map(({ id }) => id);
    const holder = document.createElement('div');
    holder.innerHTML = html.createHTML(await answer.text());
    const [fresh] = holder.children;
    if (!fresh) return undefined;
    for (const id of open) fresh.querySelector(`#${CSS.escape(id)}`)?.setAttribute('open', '');
    part.replaceWith(fresh);
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
    enhance(fresh);
    return fresh.dataset.live ? poll(fresh, POLL_MILLISECONDS, answer.headers.get('etag')) : undefined;
  }, pause);

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
    const links = [...strip.querySelectorAll('a')];
    strip.addEventListener('keydown', (event) => {
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

/** Parts of a fetched page refer to symbols that this page may lack. */
const adoptSymbols = (page) => {
  for (const symbol of page.querySelectorAll('symbol')) {
    if (!document.getElementById(symbol.id)) document.querySelector('symbol').parentNode.append(symbol);
  }
};

/** Shows the page of a file in a dialog. Its links and the arrow keys lead to the other files of the test. */
const showFile = async (dialog, href) => {
  const answer = await fetch(href, { redirect: 'error' }).catch(() => undefined);
  const page = new DOMParser().parseFromString(html.createHTML((await answer?.text()) ?? ''), 'text/html');
  const file = page.querySelector('#file');
  if (!file) return location.assign(href);
  adoptSymbols(page);
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
  dialog.className = 'wide';
  if (!openedDialog) {
    dialog.addEventListener('keydown', ({ key, target: element }) => {
      const direction = { ArrowLeft: 'prev', ArrowRight: 'next' }[key];
      if (direction && !element.matches('input, video')) dialog.querySelector(`a[rel="${direction}"]`)?.click();
    });
  }
  void showFile(dialog, link.href);
});

const SEARCH_PAUSE_MILLISECONDS = 150;

/** Shows results of the search page while the person types. Submitting the form opens that page. */
const openSearch = () => {
  const form = document.querySelector('.side form').cloneNode(true);
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
      const page = new DOMParser().parseFromString(html.createHTML(await answer.text()), 'text/html');
      const found = page.querySelector('#results');
      adoptSymbols(page);
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

const SHORTCUTS = { '/': 'Search', 'n, j': 'Next failure', 'p, k': 'Previous failure', '?': 'These shortcuts' };

const openHelp = () => {
  const list = document.createElement('dl');
  list.className = 'rows';
  for (const [key, meaning] of Object.entries({ ...SHORTCUTS, 'Ctrl K': 'Search' })) {
    const term = document.createElement('dt');
    const name = document.createElement('kbd');
    const text = document.createElement('dd');
    name.append(key);
    term.append(name);
    text.append(meaning);
    list.append(term, text);
  }
  openDialog('Keyboard shortcuts', list);
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

const enhance = (root) => {
  localTimes(root);
  copyButtons(root);
  inclusions(root);
  strips(root);
};

enhance(document);
for (const part of document.querySelectorAll('[data-live]')) poll(part);

/** The code of a link is in the URL fragment, so that it never appears in server logs. */
const code = document.querySelector('input[data-from-fragment]');
if (code && location.hash.length > 1) {
  code.value = location.hash.slice(1);
  history.replaceState(null, '', location.pathname + location.search);
  if (code.dataset.fromFragment === 'submit') code.form.requestSubmit();
}
