/** Asks the browser for a passkey, and submits the credential with the form. Uses the browser's own JSON conversion. */
const REASONS = {
  NotAllowedError: 'The passkey request was cancelled or took too long. Try again.',
  InvalidStateError: 'This device already has a passkey for your account. Use it to sign in.',
  SecurityError: 'Passkeys do not work at this address. Open the page under its proper host name.',
  NotSupportedError: 'This device does not support the passkeys that this service accepts. Use another device.',
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

/** A redirect here means that the session needs a sign-in or a confirmation, which a reload of the page asks for. */
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
  if (!isAble) say('This browser does not support passkeys. Update it, or sign in with a link.');
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
