/** Asks the browser for a passkey, and sends its answer with the form. The browser's own functions translate it. */
const REASONS = {
  NotAllowedError: 'The browser was not allowed to use a passkey, or it took too long. Try again.',
  InvalidStateError: 'This device already has a passkey of your account. Use it to sign in.',
  SecurityError: 'Passkeys do not work at this address. Open the page at its proper name.',
  NotSupportedError: 'This device has no passkeys that this service accepts. Use another device.',
};

const isAble =
  typeof globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON === 'function' &&
  typeof globalThis.PublicKeyCredential.parseRequestOptionsFromJSON === 'function' &&
  typeof globalThis.PublicKeyCredential.prototype.toJSON === 'function';

const credentialFor = async (use, options) => {
  if (use === 'create')
    return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
  return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
};

const reasonFor = (error) => REASONS[error?.name] ?? 'The passkey could not be used. Reload the page and try again.';

/** A redirect of the options asks to sign in or to confirm, which the page itself does after a reload. */
const send = async (form, { passkey: use, options: path }) => {
  const answer = await fetch(path, { redirect: 'manual' });
  if (answer.type === 'opaqueredirect') return location.reload();
  if (!answer.ok) throw new Error(`The options were refused with ${answer.status}`);
  const credential = await credentialFor(use, await answer.json());
  form.elements.namedItem('credential').value = JSON.stringify(credential.toJSON());
  return form.submit();
};

for (const form of document.querySelectorAll('form[data-passkey]')) {
  const problem = form.querySelector('[data-problem]');
  const button = form.querySelector('button');
  const say = (text) => {
    problem.textContent = text;
    problem.hidden = text === '';
  };
  button.hidden = !isAble;
  if (!isAble) say('This browser is too old for passkeys here. Update it, or sign in with a link.');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    say('');
    try {
      await send(form, form.dataset);
    } catch (error) {
      say(reasonFor(error));
    }
  });
}
