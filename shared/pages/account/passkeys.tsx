/** Page parts to use, add, list and remove passkeys. */
import type { Child, Html } from '#shared/engine/html/html.ts';
import type { Passkey } from '#shared/model/organizations/passkey.ts';
import { TextField } from '#shared/pages/design/fields.tsx';
import { Ago, FullTime } from '#shared/pages/design/format.tsx';
import { accountFormHref } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage, sentValue } from '#shared/pages/shell/refused-form.tsx';
import type { RefusedForm } from '#shared/pages/shell/view.ts';
import type { AccountVisit } from '#shared/sign-in/visit.ts';

interface FormProps {
  readonly use: 'create' | 'get';
  /** The address that receives the credential. */
  readonly action: string;
  /** The address of the WebAuthn options. */
  readonly options: string;
  readonly button: string;
  readonly children?: Child;
}

/** The script shows the button, because passkeys need JavaScript. */
export const PasskeyForm = ({ use, action, options, button, children }: FormProps): Html => (
  <form method="post" action={action} data-passkey={use} data-options={options}>
    {children}
    <input type="hidden" name="credential" value="" />
    <button type="submit" hidden>
      {button}
    </button>
    <p class="notice problem-text" role="alert" data-problem hidden />
    <noscript>
      <p>Passkeys need JavaScript. Without it, use a sign-in link.</p>
    </noscript>
  </form>
);

interface AddProps {
  readonly visit: AccountVisit;
  readonly refused: RefusedForm | undefined;
}

export const AddPasskeyPage = ({ visit, refused }: AddProps): Html => (
  <>
    <h1>Add a passkey</h1>
    <p>
      A passkey signs you in with your fingerprint, your face or your device PIN. It stays on your devices, and works
      only at this address.
    </p>
    <RefusalMessage refused={refused} of="submitAddPasskey" />
    <PasskeyForm
      use="create"
      action={accountFormHref(visit, 'passkeys/new')}
      options={accountFormHref(visit, 'passkeys/options')}
      button="Add a passkey"
    >
      <TextField
        label="Name"
        name="name"
        value={sentValue(refused, 'submitAddPasskey', 'name') ?? 'My passkey'}
        hint="To recognize it later, such as the name of the device."
        maxlength={64}
        required
      />
    </PasskeyForm>
  </>
);

interface ListProps {
  readonly visit: AccountVisit;
  readonly passkeys: readonly Passkey[];
  readonly now: number;
}

export const Passkeys = ({ visit, passkeys, now }: ListProps): Html => (
  <>
    {passkeys.length === 0 ? (
      <p class="notice">You have no passkey. Add one to sign in without a link from your operator.</p>
    ) : (
      <PasskeyTable visit={visit} passkeys={passkeys} now={now} />
    )}
    <p>
      <a class="button" href={accountFormHref(visit, 'passkeys/new')}>
        Add a passkey
      </a>
    </p>
    {passkeys.length === 1 && (
      <p class="soft">If you lose your only passkey, you need a link from your operator to sign in.</p>
    )}
  </>
);

const PasskeyTable = ({ visit, passkeys, now }: ListProps): Html => (
  <section class="scroll" tabindex={0} aria-label="Passkeys">
    <table>
      <caption>Passkeys that you can sign in with</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Added</th>
          <th scope="col">Last sign-in</th>
          <th scope="col">Remove</th>
        </tr>
      </thead>
      <tbody>
        {passkeys.map(({ hash, passkeyId, name, createdAt, lastUsedAt }) => (
          <tr>
            <th scope="row">
              {name}
              {hash === visit.session.passkey && (
                <>
                  <br />
                  <small>Used for this session. Removing it signs you out here.</small>
                </>
              )}
            </th>
            <td>
              <FullTime at={createdAt} />
            </td>
            <td>{lastUsedAt === undefined ? 'never' : <Ago at={lastUsedAt} now={now} />}</td>
            <td>
              <form method="post" action={accountFormHref(visit, 'passkeys/remove')}>
                <input type="hidden" name="passkeyId" value={passkeyId} />
                <button type="submit" class="danger" aria-label={`Remove ${name}`}>
                  Remove
                </button>
              </form>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
