import * as z from 'zod';
import { readBadge } from '#shared/badges/badges.ts';
import { BADGE_LIMITS } from '#shared/badges/limits.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { makePictureContent } from '#shared/engine/http/content.ts';
import { badges } from '#shared/model/organizations/badge.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { renderBadgeSvg } from '#shared/pages/badges/badge.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'getBadge',
  route: 'GET /badges/{file}',
  needs: 'public',
  access: { table: 'read', reads: [badges, organizations, projects], artifacts: 'none' },
  path: { file: z.string() },
  async show({ path: { file } }, services) {
    const badgeId = /^([0-9a-f]{1,64})\.svg$/.exec(file)?.[1] ?? refuse(notFound('Badge'));
    return makePictureContent(renderBadgeSvg(await readBadge(services, badgeId)), BADGE_LIMITS.cacheSeconds);
  },
});
