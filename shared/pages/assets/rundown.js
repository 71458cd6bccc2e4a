/**
 * Progressive enhancement: local times, copy buttons, dependent check boxes, arrow keys in strips, live parts, and the
 * code of a sign-in link. Every task works without it.
 */
const POLL_MILLISECONDS = 3000;
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

/** Polls a fragment, with backoff while nothing changes. */
const poll = (part, pause = POLL_MILLISECONDS, eTag = undefined) =>
  setTimeout(async () => {
    if (document.hidden) return poll(part, pause, eTag);
    const headers = eTag ? { 'If-None-Match': eTag } : {};
    const answer = await fetch(part.dataset.live, { headers, redirect: 'error' }).catch(() => undefined);
    const slower = Math.min(pause * 1.5, SLOWEST_POLL_MILLISECONDS);
    if (!answer || answer.status === 304 || answer.status >= 500) return poll(part, slower, eTag);
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
}
