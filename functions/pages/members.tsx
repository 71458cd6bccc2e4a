import * as z from 'zod';
import { may } from '#shared/access/may.ts';
import { endIdentities, listConnectedOrganizations } from '#shared/company-sign-in/identities.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { grants, grantsOfAccount } from '#shared/model/oauth/oauth-grant.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { memberships, ROLES } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { companyIdentities } from '#shared/model/sign-in/company-provider.ts';
import { confirmationCodes } from '#shared/model/sign-in/confirmation-code.ts';
import { listMemberGrants, revokeMemberGrant } from '#shared/oauth/grants.ts';
import { listInvitations } from '#shared/organizations/invitations.ts';
import {
  changeRole,
  leaveOrganization,
  listPeople,
  ROWS_OF_REMOVAL,
  removeMember,
} from '#shared/organizations/members.ts';
import { ConfirmationCodePage } from '#shared/pages/account/confirm-page.tsx';
import { MemberPage } from '#shared/pages/organization/member-page.tsx';
import { MembersPage } from '#shared/pages/organization/members-page.tsx';
import { linkToHome, linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { form, page } from '#shared/platform/page.ts';
import { createCodeForMember } from '#shared/sign-in/confirmation-codes.ts';

export const showMembers = page({
  operationId: 'showMembers',
  route: 'GET /{organizationId}/settings/members',
  lambda: 'settings',
  needs: 'members:list',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, refused }, services) {
    const [members, invitations] = await Promise.all([
      listPeople(services, caller),
      may(visit.person, 'invitations:list') ? listInvitations(services, caller) : undefined,
    ]);
    const props = { visit, members, invitations, refused, now: services.now() };
    return { title: 'Members', tab: 'Members', body: <MembersPage {...props} /> };
  },
});

export const submitMemberCode = form({
  operationId: 'submitMemberCode',
  route: 'POST /{organizationId}/settings/members',
  needs: 'members:confirm',
  fresh: 'confirm a member',
  access: { table: 'readWrite', writes: [confirmationCodes, auditRecords], artifacts: 'none' },
  fields: z.object({ accountId: id }),
  page: 'showMembers',
  async submit({ visit, caller, fields: { accountId } }, services) {
    const { name, ...createdCode } = await createCodeForMember(services, { ...caller, accountId });
    const back = { name: 'Back to the members', href: linkToOrganizationSettings(visit, 'members') };
    const body = <ConfirmationCodePage created={createdCode} name={name} back={back} />;
    return { title: 'Confirmation code', tab: 'Members', hasSecret: true, body };
  },
});

export const showMember = page({
  operationId: 'showMember',
  route: 'GET /{organizationId}/settings/members/{accountId}',
  lambda: 'settings',
  needs: 'members:changeRole',
  fresh: 'change the access of a member',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { accountId }, refused }, services) {
    const all = await listPeople(services, caller);
    const person = all.find(({ member }) => member.accountId === accountId) ?? refuse(notFound('Member'));
    const name = person.account?.name ?? accountId;
    const grants = await listMemberGrants(services, { ...caller, accountId });
    const applications = { grants, origin: services.origin, now: services.now() };
    const connectedIds = await listConnectedOrganizations(services, { accountId, organizations: [caller] });
    const hasIdentity = connectedIds.has(caller.organizationId);
    return {
      title: name,
      tab: 'Members',
      breadcrumbs: [{ name: 'Members', href: linkToOrganizationSettings(visit, 'members') }, { name }],
      body: <MemberPage visit={visit} refused={refused} {...person} {...applications} hasIdentity={hasIdentity} />,
    };
  },
});

export const submitRole = form({
  operationId: 'submitRole',
  route: 'POST /{organizationId}/settings/members/{accountId}',
  needs: 'members:changeRole',
  fresh: 'change the access of a member',
  access: {
    table: 'readWrite',
    writes: [memberships, organizations, invitations, invitationsBySecret, auditRecords],
    artifacts: 'none',
  },
  fields: z.object({ role: z.enum(ROLES) }),
  page: 'showMember',
  async submit({ visit, caller, path: { accountId }, fields: { role } }, services) {
    await changeRole(services, { ...caller, accountId, role });
    return redirect(linkToOrganizationSettings(visit, 'members'));
  },
});

export const submitEndIdentity = form({
  operationId: 'submitEndIdentity',
  route: 'POST /{organizationId}/settings/members/{accountId}/end-identity',
  needs: 'companySignIn:endIdentity',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [companyIdentities, auditRecords], artifacts: 'none' },
  page: 'showMember',
  async submit({ visit, caller, path: { accountId } }, services) {
    await endIdentities(services, { ...caller, accountId });
    return redirect(linkToOrganizationSettings(visit, 'members', accountId));
  },
});

export const submitEndMemberApplication = form({
  operationId: 'submitEndMemberApplication',
  route: 'POST /{organizationId}/settings/members/{accountId}/end-application',
  needs: 'grants:revokeAny',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [grants, grantsOfAccount, auditRecords], artifacts: 'none' },
  fields: z.object({ grant: id }),
  page: 'showMember',
  async submit({ visit, caller, path: { accountId }, fields: { grant: hash } }, services) {
    await revokeMemberGrant(services, { ...caller, accountId, hash });
    return redirect(linkToOrganizationSettings(visit, 'members', accountId));
  },
});

export const submitRemoveMember = form({
  operationId: 'submitRemoveMember',
  route: 'POST /{organizationId}/settings/members/{accountId}/remove',
  needs: 'members:remove',
  notFresh: 'revokes',
  access: {
    table: 'readWrite',
    writes: ROWS_OF_REMOVAL,
    artifacts: 'none',
  },
  page: 'showMember',
  async submit({ visit, caller, path: { accountId } }, services) {
    await removeMember(services, { ...caller, accountId });
    const isOwn = accountId === visit.person.accountId;
    return redirect(isOwn ? linkToHome(visit) : linkToOrganizationSettings(visit, 'members'));
  },
});

export const showLeave = page({
  operationId: 'showLeave',
  route: 'GET /{organizationId}/settings/leave',
  lambda: 'settings',
  needs: 'members:leave',
  access: { table: 'none', artifacts: 'none' },
  show: ({ visit, refused }) => ({
    title: `Leave ${visit.organizationName}`,
    tab: 'Members',
    breadcrumbs: [{ name: 'Members', href: linkToOrganizationSettings(visit, 'members') }, { name: 'Leave' }],
    body: (
      <QuestionPage
        question={`Leave ${visit.organizationName}?`}
        action={linkToOrganizationSettings(visit, 'leave')}
        refused={refused}
        yes="Leave this organization"
        no="Stay"
        back={linkToOrganizationSettings(visit, 'members')}
      >
        You will lose access immediately. Your personal access tokens and connected applications will stop working for
        this organization. To come back, you will need an invitation.
      </QuestionPage>
    ),
  }),
});

export const submitLeave = form({
  operationId: 'submitLeave',
  route: 'POST /{organizationId}/settings/leave',
  needs: 'members:leave',
  notFresh: 'revokes',
  access: {
    table: 'readWrite',
    writes: ROWS_OF_REMOVAL,
    artifacts: 'none',
  },
  page: 'showLeave',
  async submit({ visit, caller }, services) {
    await leaveOrganization(services, caller);
    return redirect(linkToHome(visit));
  },
});
