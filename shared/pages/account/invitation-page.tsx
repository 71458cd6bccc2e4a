/** The page of an invitation link. */
import type { Html } from '#shared/engine/html/html.ts';
import { TextField } from '#shared/pages/design/fields.tsx';
import { invitationHref, signInHref, signOutHref } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage, sentValue } from '#shared/pages/shell/refused-form.tsx';
import type { RefusedForm } from '#shared/pages/shell/view.ts';
import type { AccountVisit, Visit } from '#shared/sign-in/visit.ts';

const OF = 'submitInvitation';

interface Props {
  readonly visit: Visit | AccountVisit;
  readonly refused: RefusedForm | undefined;
}

/**
 * The page of an invitation. Names neither the organization nor the address, because link scanners open the page as
 * well.
 */
export const InvitationPage = ({ visit, refused }: Props): Html => (
  <>
    <h1>Join an organization</h1>
    <RefusalMessage refused={refused} of={OF} title="You have not joined." />
    {'account' in visit ? <AsMember visit={visit} /> : <AsNewPerson visit={visit} />}
    <form method="post" action={invitationHref(visit)}>
      <TextField
        label="Code"
        name="code"
        value={sentValue(refused, OF, 'code')}
        hint="The part of your invitation link after #. It works once."
        autocomplete="one-time-code"
        required
        fromFragment
      />
      {!('account' in visit) && (
        <TextField
          label="Your name"
          name="name"
          value={sentValue(refused, OF, 'name')}
          hint="Shown to other members. Your e-mail address is the invited one."
          autocomplete="name"
          maxlength={128}
          required
        />
      )}
      <button type="submit">
        {'account' in visit ? `Join as ${visit.account.name}` : 'Create an account and join'}
      </button>
    </form>
  </>
);

const AsMember = ({ visit }: { readonly visit: AccountVisit }): Html => (
  <>
    <p class="notice">
      You are signed in as {visit.account.name} ({visit.account.email}). The invitation must be for this address.
      Continue only if you expected the invitation.
    </p>
    <form method="post" action={signOutHref(visit)}>
      <button type="submit" class="quiet">
        Not you? Sign out, and open the invitation again
      </button>
    </form>
  </>
);

const AsNewPerson = ({ visit }: { readonly visit: Visit }): Html => (
  <p>
    Do you have an account already? <a href={signInHref(visit, '/invitations')}>Sign in</a> first, and open the
    invitation again.
  </p>
);
