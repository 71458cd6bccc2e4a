import * as z from 'zod';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { makeFormId } from '#shared/organizations/only-once.ts';
import { getSharingSettings } from '#shared/organizations/sharing-settings.ts';
import { NewSharePage } from '#shared/pages/shares/new-share-page.tsx';
import { page } from '#shared/platform/page.ts';
import { findTarget } from '#shared/results/find-target.ts';
import { sharedIds } from '#shared/shares/share-wire.ts';

export const handler = page({
  operationId: 'showNewShare',
  route: 'GET /{organizationId}/{projectId}/shares/new',
  needs: 'shares:write',
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
    return { title: 'Share', tab: 'Runs', hasSecret: true, body };
  },
});
