/** Invites a person, and shows the link of the invitation once. */
import type { Html } from '#shared/engine/html/html.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { ListedInvitation } from '#shared/organizations/invitations.ts';
import { TextField } from '#shared/pages/design/fields.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { FormActions, PageHead } from '#shared/pages/design/parts.tsx';
import { readFormEntries } from '#shared/pages/shell/form-entries.ts';
import { buildInvitationUrl, linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import { RoleField } from '#shared/pages/shell/role-field.tsx';
import { getRoleName } from '#shared/pages/shell/role-names.ts';
import { FormId, ShownOnce } from '#shared/pages/shell/shown-once.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';

interface FormProps extends WithForms<OrganizationVisit> {
  readonly formId: string;
}

export function InvitePage({ visit, formId, refused }: FormProps): Html {
  const { field, sent } = readFormEntries(refused, 'submitInvite');
  return (
    <>
      <PageHead
        title="Invite a person"
        meta="The next page shows a link for you to send to the person. The new invitation replaces any earlier one for the same address."
      />
      <form method="post" action={linkToOrganizationSettings(visit, 'members', 'invite')}>
        <RefusalMessage refused={refused} of="submitInvite" />
        <FormId formId={formId} />
        <TextField
          label="Email address"
          type="email"
          {...field('email')}
          maxlength={MODEL_LIMITS.idCharacters}
          hint="Only an account with this address can accept the invitation"
          required
        />
        <RoleField value={sent('role') ?? 'member'} />
        <FormActions cancelHref={linkToOrganizationSettings(visit, 'members')}>
          <button type="submit">Create invitation</button>
        </FormActions>
      </form>
    </>
  );
}

interface ShownProps {
  readonly visit: OrganizationVisit;
  readonly invitation: ListedInvitation & { readonly secret: string };
  readonly origin: string;
}

export const InvitedPage = ({ visit, invitation, origin }: ShownProps): Html => (
  <>
    <PageHead title={`${invitation.email} was invited`} />
    <ShownOnce name="this link" value={buildInvitationUrl(origin, invitation.secret)} />
    <p>
      Send it to {invitation.email}. It works once, until <FullTime at={invitation.validUntil} />, and makes that person
      a member with the role {getRoleName(invitation.role)}.
    </p>
    <p>
      <a href={linkToOrganizationSettings(visit, 'members')}>All members and invitations</a>
    </p>
  </>
);
