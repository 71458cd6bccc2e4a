/** Changes a member's role, disconnects their applications, and removes the member. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ListedGrant } from '#shared/model/oauth/oauth-grant.ts';
import type { KnownMember } from '#shared/organizations/members.ts';
import { ConnectedApplications } from '#shared/pages/account/connected-applications.tsx';
import { AskedButton, PostButton } from '#shared/pages/design/fields.tsx';
import { PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { findSentValue, RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import { RoleField } from '#shared/pages/shell/role-field.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';

interface Props extends KnownMember, WithForms<OrganizationVisit> {
  readonly grants: readonly ListedGrant[];
  /** Whether the member has signed in with the company. */
  readonly hasIdentity: boolean;
  readonly origin: string;
  readonly now: number;
}

export const MemberPage = ({ visit, member, account, hasIdentity, refused, ...applications }: Props): Html => (
  <>
    <PageHead title={account?.name ?? member.accountId} meta={<span>{account?.email}</span>} />
    <div class="stack reading">
      <Panel title="Role">
        <form method="post" action={linkToOrganizationSettings(visit, 'members', member.accountId)}>
          <RoleField value={findSentValue(refused, 'submitRole', 'role') ?? member.role} />
          <RefusalMessage refused={refused} of="submitRole" />
          <button type="submit">Save role</button>
        </form>
      </Panel>
      <Panel title="Confirm that it is them">
        <p>
          If this person has no passkey, they need a code to do what requires a recent sign-in, such as sharing a
          result. Create one while you talk to them.
        </p>
        <PostButton
          action={linkToOrganizationSettings(visit, 'members')}
          fields={{ accountId: member.accountId }}
          class="quiet"
        >
          Create a confirmation code
        </PostButton>
      </Panel>
      <Panel title="Connected applications" isFlush>
        <RefusalMessage
          refused={refused}
          of="submitEndMemberApplication"
          title="The application was not disconnected."
        />
        {applications.grants.length === 0 ? (
          <p class="pad soft">No application is connected for this member.</p>
        ) : (
          <ConnectedApplications
            action={linkToOrganizationSettings(visit, 'members', member.accountId, 'end-application')}
            {...applications}
          />
        )}
      </Panel>
      {hasIdentity && (
        <Panel title="Company sign-in">
          <p>
            If this person has a new account at your identity provider, end the old identity here. Their sessions of
            company sign-in end at once, and their next one connects the new identity.
          </p>
          <RefusalMessage refused={refused} of="submitEndIdentity" title="Nothing was changed." />
          <PostButton
            action={linkToOrganizationSettings(visit, 'members', member.accountId, 'end-identity')}
            class="quiet"
          >
            End the identity
          </PostButton>
        </Panel>
      )}
      <Panel title={`Remove from ${visit.organizationName}`}>
        <p>
          This person will lose access immediately, and their personal access tokens and connected applications will
          stop working for this organization. API keys will keep working.
        </p>
        <RefusalMessage refused={refused} of="submitRemoveMember" title="The member was not removed." />
        <AskedButton
          action={linkToOrganizationSettings(visit, 'members', member.accountId, 'remove')}
          open="Remove this member…"
          question="Only an invitation lets this person return."
        >
          Remove this member
        </AskedButton>
      </Panel>
    </div>
  </>
);
