import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { creationTurns } from '#shared/model/organizations/creation-turn.ts';
import { trustedRepositories } from '#shared/model/organizations/trusted-repository.ts';
import { CI_PROVIDER_NAMES } from '#shared/model/runs/origin.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { makeFormId } from '#shared/organizations/only-once.ts';
import { linkToProjectSettings, linkToTrustedCi } from '#shared/pages/shell/hrefs.ts';
import { TrustedCiPage } from '#shared/pages/trusted-ci/trusted-ci-page.tsx';
import { form, page } from '#shared/platform/page.ts';
import { isFreshForForm } from '#shared/sign-in/sessions.ts';
import { listTrustedRepositories, removeRepository, trustRepository } from '#shared/trusted-ci/trusted-repositories.ts';

export const showTrustedCi = page({
  operationId: 'showTrustedCi',
  route: 'GET /{organizationId}/{projectId}/trusted-ci',
  lambda: 'settings',
  needs: 'trustedCi:change',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, pathWithQuery, refused }, services) {
    const repositories = await listTrustedRepositories(services, visit);
    const { origin } = services;
    const now = services.now();
    const isFresh = isFreshForForm(visit.session, now);
    const formId = makeFormId(services);
    const body = <TrustedCiPage {...{ visit, repositories, refused, origin, pathWithQuery, isFresh, formId, now }} />;
    const breadcrumbs = [{ name: 'Settings', href: linkToProjectSettings(visit) }, { name: 'Trusted CI' }];
    return { title: 'Trusted CI', tab: 'Settings', breadcrumbs, hasSecret: true, body };
  },
});

export const submitTrustedRepository = form({
  operationId: 'submitTrustedRepository',
  route: 'POST /{organizationId}/{projectId}/trusted-ci',
  needs: 'trustedCi:change',
  fresh: 'trust a repository',
  access: {
    table: 'readWrite',
    writes: [trustedRepositories, auditRecords, submittedForms, creationTurns],
    artifacts: 'none',
  },
  fields: z.object({
    formId: id,
    provider: z.enum(CI_PROVIDER_NAMES),
    issuer: z.string(),
    repository: z.string(),
    branch: z.string(),
    environment: z.string(),
  }),
  page: 'showTrustedCi',
  async submit({ visit, caller, fields: { formId, ...settings } }, services) {
    await trustRepository(services, { ...caller, formId, settings });
    return redirect(linkToTrustedCi(visit));
  },
});

export const submitRemoveRepository = form({
  operationId: 'submitRemoveRepository',
  route: 'POST /{organizationId}/{projectId}/trusted-ci/{trustId}/remove',
  needs: 'trustedCi:change',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [trustedRepositories, auditRecords], artifacts: 'none' },
  page: 'showTrustedCi',
  async submit({ visit, caller, path: { trustId } }, services) {
    await removeRepository(services, { ...caller, trustId });
    return redirect(linkToTrustedCi(visit));
  },
});
