/** The parts of pages that use, add, list and remove passkeys. */
import type { Child, Html } from '#shared/engine/html/html.ts';
import type { Passkey } from '#shared/model/sign-in/passkey.ts';
import { EntryPage } from '#shared/pages/design/entry-page.tsx';
import { PostButton, TextField } from '#shared/pages/design/fields.tsx';
import { Ago, FullTime } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { linkToAccountForm } from '#shared/pages/shell/hrefs.ts';
import { findSentValue, RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { AccountVisit } from '#shared/sign-in/visit.ts';

interface FormProps {
  readonly use: 'create' | 'get';
  /** The URL to which the form sends the passkey credential. */
  readonly action: string;
  /** The URL that returns the WebAuthn options. */
  readonly options: string;
  readonly button: string;
  readonly children?: Child;
}

/**
 * A form that creates or uses a passkey. The button is hidden until the script shows it, because passkeys need
 * JavaScript.
 */
export const PasskeyForm = ({ use, action, options, button, children }: FormProps): Html => (
  <form method="post" action={action} data-passkey={use} data-options={options}>
    {children}
    <input type="hidden" name="credential" value="" />
    <button type="submit" hidden>
      {button}
    </button>
    <p class="notice problem-text" role="alert" data-problem hidden />
    <noscript>
      <p>Passkeys need JavaScript. Without it, you can sign in only with a link from your operator.</p>
    </noscript>
  </form>
);

interface AddProps extends WithForms<AccountVisit> {
  /** The path that the person opens next, if they are asked for a passkey on the way there. */
  readonly returnTo: string | undefined;
}

export const AddPasskeyPage = ({ visit, refused, returnTo }: AddProps): Html => (
  <EntryPage
    title="Add a passkey"
    lead={
      <>
        You are signed in as {visit.account.name} ({visit.account.email}). With a passkey, you sign in and confirm who
        you are with your fingerprint, your face or your device PIN. Without one, you need a link or a code from
        somebody else. A passkey stays on your devices and works only on this website.
      </>
    }
  >
    <RefusalMessage refused={refused} of="submitAddPasskey" />
    <section class="card" aria-label="Passkey">
      <PasskeyForm
        use="create"
        action={linkToAccountForm(visit, 'passkeys/new')}
        options={linkToAccountForm(visit, 'passkeys/options')}
        button="Add a passkey"
      >
        {returnTo !== undefined && <input type="hidden" name="return_to" value={returnTo} />}
        <TextField
          label="Name"
          name="name"
          value={findSentValue(refused, 'submitAddPasskey', 'name') ?? 'My passkey'}
          hint="For example, the name of the device, so that you can recognize the passkey later"
          maxlength={64}
          required
        />
      </PasskeyForm>
      {returnTo !== undefined && (
        <p>
          <a href={visit.base + returnTo}>Not now</a>
        </p>
      )}
    </section>
  </EntryPage>
);

interface ListProps {
  readonly visit: AccountVisit;
  readonly passkeys: readonly Passkey[];
  readonly now: number;
}

export const Passkeys = ({ visit, passkeys, now }: ListProps): Html => (
  <>
    {passkeys.length > 0 && (
      <ul class="rows">
        {passkeys.map((passkey) => (
          <PasskeyRow visit={visit} passkey={passkey} now={now} />
        ))}
      </ul>
    )}
    {passkeys.length < 2 && (
      <p class="pad soft">
        {passkeys.length === 0
          ? 'You have no passkey. Add one to sign in without a link from your operator.'
          : 'If you lose your only passkey, you need a link from your operator to sign in. Add a second one.'}
      </p>
    )}
  </>
);

const PasskeyRow = ({
  visit,
  passkey: { hash, passkeyId, name, createdAt, lastUsedAt },
  now,
}: Pick<ListProps, 'visit' | 'now'> & { readonly passkey: Passkey }): Html => (
  <li>
    <Icon name="key-round" />
    <div class="grow">
      <strong>{name}</strong>
      <br />
      <small>
        Added <FullTime at={createdAt} />,{' '}
        {lastUsedAt === undefined ? (
          'never used'
        ) : (
          <>
            last used <Ago at={lastUsedAt} now={now} />
          </>
        )}
      </small>
      {hash === visit.session.passkey && (
        <>
          <br />
          <small>You signed in with this passkey. Removing it signs you out of this browser.</small>
        </>
      )}
    </div>
    <PostButton
      action={linkToAccountForm(visit, 'passkeys/remove')}
      fields={{ passkeyId }}
      class="danger small"
      label={`Remove ${name}`}
    >
      Remove
    </PostButton>
  </li>
);
