/** The page that an invitation link opens. */
import type { Html } from '#shared/engine/html/html.ts';
import type { DeploymentProvider } from '#shared/model/sign-in/deployment-provider.ts';
import { EntryPage } from '#shared/pages/design/entry-page.tsx';
import { TextField } from '#shared/pages/design/fields.tsx';
import { Notice } from '#shared/pages/design/parts.tsx';
import { linkToInvitation, linkToSignIn, linkToSignOut } from '#shared/pages/shell/hrefs.ts';
import { findSentValue, RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { AccountVisit, Visit } from '#shared/sign-in/visit.ts';

const OF = 'submitInvitation';

interface Props extends WithForms<Visit | AccountVisit> {
  readonly providers: readonly DeploymentProvider[];
}

/**
 * Lets a person accept an invitation. Shows neither the organization nor the invited email address, because automatic
 * link scanners also open the page.
 */
export const InvitationPage = ({ visit, refused, providers }: Props): Html => (
  <EntryPage title="Join an organization">
    <RefusalMessage refused={refused} of={OF} title="You did not join." />
    {'account' in visit && (
      <Notice>
        You are signed in as {visit.account.name} ({visit.account.email}). The invitation must be for this address.
        Continue only if you expected it.
      </Notice>
    )}
    <form class="card" method="post" action={linkToInvitation(visit)}>
      <TextField
        label="Code"
        name="code"
        value={findSentValue(refused, OF, 'code')}
        hint="The part of your invitation link after the # sign. The link works only once."
        autocomplete="one-time-code"
        required
        fromFragment
      />
      {!('account' in visit) && (
        <TextField
          label="Your name"
          name="name"
          value={findSentValue(refused, OF, 'name')}
          hint="Your name is shown to other members. Your account will have the email address that was invited."
          autocomplete="name"
          maxlength={128}
          required
        />
      )}
      <div class="actions">
        <button type="submit">
          {'account' in visit ? `Join as ${visit.account.name}` : 'Create an account and join'}
        </button>
        {!('account' in visit) &&
          providers.map(({ providerId, name }) => (
            <button type="submit" class="quiet" name="provider" value={providerId} formnovalidate>
              Join with {name}
            </button>
          ))}
      </div>
    </form>
    {'account' in visit ? (
      <form method="post" action={linkToSignOut(visit)} class="actions">
        <button type="submit" class="plain">
          Not you? Sign out
        </button>{' '}
        <span class="soft">Then open the invitation again.</span>
      </form>
    ) : (
      <p>
        Do you have an account already? <a href={linkToSignIn(visit, '/invitations')}>Sign in</a> first, and open the
        invitation again.
      </p>
    )}
  </EntryPage>
);
