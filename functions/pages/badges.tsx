import * as z from 'zod';
import { createBadge, listBadges, readBadge, revokeBadge } from '#shared/badges/badges.ts';
import { BADGE_LIMITS } from '#shared/badges/limits.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { makePictureContent, redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { badges, badgesOfProject } from '#shared/model/organizations/badge.ts';
import { creationTurns } from '#shared/model/organizations/creation-turn.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { makeFormId } from '#shared/organizations/only-once.ts';
import { renderBadgeSvg } from '#shared/pages/badges/badge.tsx';
import { BadgesPage } from '#shared/pages/badges/badges-page.tsx';
import { linkToBadges, linkToProjectSettings } from '#shared/pages/shell/hrefs.ts';
import { form, page } from '#shared/platform/page.ts';
import { isFreshForForm } from '#shared/sign-in/sessions.ts';

export const showBadges = page({
  operationId: 'showBadges',
  route: 'GET /{organizationId}/{projectId}/badges',
  lambda: 'settings',
  needs: 'projects:write',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, pathWithQuery, refused }, services) {
    const badges = await listBadges(services, visit);
    const { origin } = services;
    const isFresh = isFreshForForm(visit.session, services.now());
    const body = (
      <BadgesPage {...{ visit, badges, refused, origin, pathWithQuery, isFresh }} formId={makeFormId(services)} />
    );
    const breadcrumbs = [{ name: 'Settings', href: linkToProjectSettings(visit) }, { name: 'Badges' }];
    return { title: 'Badges', tab: 'Settings', breadcrumbs, hasSecret: true, body };
  },
});

export const submitNewBadge = form({
  operationId: 'submitNewBadge',
  route: 'POST /{organizationId}/{projectId}/badges',
  needs: 'projects:write',
  fresh: 'create a badge',
  access: {
    table: 'readWrite',
    writes: [badges, badgesOfProject, auditRecords, submittedForms, creationTurns],
    artifacts: 'none',
  },
  fields: z.object({ formId: id, branch: z.string(), label: z.string() }),
  page: 'showBadges',
  async submit({ visit, caller, fields }, services) {
    await createBadge(services, { ...caller, ...fields });
    return redirect(linkToBadges(visit));
  },
});

export const submitRevokeBadge = form({
  operationId: 'submitRevokeBadge',
  route: 'POST /{organizationId}/{projectId}/badges/{badgeId}/revoke',
  needs: 'projects:write',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [badges, badgesOfProject, auditRecords], artifacts: 'none' },
  page: 'showBadges',
  async submit({ visit, caller, path: { badgeId } }, services) {
    await revokeBadge(services, { ...caller, badgeId });
    return redirect(linkToBadges(visit));
  },
});

export const getBadge = page({
  operationId: 'getBadge',
  route: 'GET /badges/{file}',
  lambda: 'shares',
  needs: 'public',
  access: { table: 'read', reads: [badges, organizations, projects], artifacts: 'none' },
  path: { file: z.string() },
  async show({ path: { file } }, services) {
    const badgeId = /^([0-9a-f]{1,64})\.svg$/.exec(file)?.[1] ?? refuse(notFound('Badge'));
    return makePictureContent(renderBadgeSvg(await readBadge(services, badgeId)), BADGE_LIMITS.cacheSeconds);
  },
});
