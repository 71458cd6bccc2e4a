import * as z from 'zod';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { creationTurns } from '#shared/model/organizations/creation-turn.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { shares, sharesOfProject } from '#shared/model/organizations/share.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { loadPeopleNames } from '#shared/organizations/actor-names.ts';
import { makeFormId } from '#shared/organizations/only-once.ts';
import { getSharingSettings } from '#shared/organizations/sharing-settings.ts';
import { CreatedSharePage, NewSharePage } from '#shared/pages/shares/new-share-page.tsx';
import { SharesPage } from '#shared/pages/shares/shares-page.tsx';
import { linkToProjectSettings, linkToRuns, linkToShares } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { form, page } from '#shared/platform/page.ts';
import { findTarget } from '#shared/results/executions/find-target.ts';
import { createShare } from '#shared/shares/create-share.ts';
import { listShares } from '#shared/shares/list-shares.ts';
import { revokeShare, revokeShares } from '#shared/shares/revoke-shares.ts';
import { ShareForm, sharedIds } from '#shared/shares/share-wire.ts';

export const showShares = page({
  operationId: 'showShares',
  route: 'GET /{organizationId}/{projectId}/shares',
  lambda: 'settings',
  needs: 'shares:write',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, refused }, services) {
    const shares = await listShares(services, visit);
    const creatorOf = await loadPeopleNames(services, shares);
    const body = <SharesPage {...{ visit, shares, creatorOf, refused }} now={services.now()} />;
    const breadcrumbs = [{ name: 'Settings', href: linkToProjectSettings(visit) }, { name: 'Shares' }];
    return { title: 'Shares', tab: 'Settings', breadcrumbs, body };
  },
});

export const showNewShare = page({
  operationId: 'showNewShare',
  route: 'GET /{organizationId}/{projectId}/shares/new',
  lambda: 'settings',
  needs: 'shares:write',
  adds: true,
  fresh: 'share a result',
  access: { table: 'read', artifacts: 'none' },
  query: z.object(sharedIds),
  async show({ visit, caller, query, refused }, services) {
    const ids = refused === undefined ? query : z.object(sharedIds).parse(refused.values);
    const [target, organization] = await Promise.all([
      findTarget(services, { ...ids, ...caller }),
      services.table.get(organizations, caller),
    ]);
    const { run: _, label, ...of } = target;
    const { shareDays: mostDays } = getSharingSettings(organization ?? refuse(notFound('Organization')));
    const body = <NewSharePage {...{ visit, of, label, mostDays, refused }} formId={makeFormId(services)} />;
    const breadcrumbs = [{ name: 'Runs', href: linkToRuns(visit) }, { name: label }, { name: 'Share' }];
    return { title: 'Share', tab: 'Runs', breadcrumbs, hasSecret: true, body };
  },
});

export const submitNewShare = form({
  operationId: 'submitNewShare',
  route: 'POST /{organizationId}/{projectId}/shares/new',
  needs: 'shares:write',
  fresh: 'share a result',
  access: {
    table: 'readWrite',
    writes: [shares, sharesOfProject, auditRecords, submittedForms, creationTurns],
    artifacts: 'none',
  },
  fields: ShareForm.extend({ formId: id }),
  page: 'showNewShare',
  async submit({ visit, caller, fields: { formId, ...shareFields } }, services) {
    const share = await createShare(services, {
      ...caller,
      formId,
      input: { ...shareFields, projectId: caller.projectId },
    });
    const body = <CreatedSharePage visit={visit} share={share} origin={services.origin} />;
    return { title: 'Share', tab: 'Runs', hasSecret: true, body };
  },
});

export const submitRevokeShare = form({
  operationId: 'submitRevokeShare',
  route: 'POST /{organizationId}/{projectId}/shares/{shareId}/revoke',
  needs: 'shares:write',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [shares, sharesOfProject, auditRecords], artifacts: 'none' },
  page: 'showShares',
  async submit({ visit, caller, path: { shareId } }, services) {
    await revokeShare(services, { ...caller, shareId });
    return redirect(linkToShares(visit));
  },
});

export const showRevokeShares = page({
  operationId: 'showRevokeShares',
  route: 'GET /{organizationId}/{projectId}/shares/revoke',
  lambda: 'settings',
  needs: 'shares:revokeAny',
  access: { table: 'read', artifacts: 'none' },
  show: ({ visit, refused }) => ({
    title: 'Revoke all shares',
    tab: 'Settings',
    breadcrumbs: [{ name: 'Shares', href: linkToShares(visit) }, { name: 'Revoke all' }],
    body: (
      <QuestionPage
        question={`Revoke all shares of ${visit.project.name}?`}
        action={linkToShares(visit, 'revoke')}
        refused={refused}
        yes="Revoke all shares"
        no="Keep them"
        back={linkToShares(visit)}
      >
        The links will stop working immediately, for everyone who has them. This cannot be undone.
      </QuestionPage>
    ),
  }),
});

export const submitRevokeShares = form({
  operationId: 'submitRevokeShares',
  route: 'POST /{organizationId}/{projectId}/shares/revoke',
  needs: 'shares:revokeAny',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [shares, sharesOfProject, auditRecords], artifacts: 'none' },
  page: 'showRevokeShares',
  async submit({ visit, caller }, services) {
    await revokeShares(services, caller);
    return redirect(linkToShares(visit));
  },
});
