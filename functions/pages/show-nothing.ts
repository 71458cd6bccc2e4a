import * as z from 'zod';
import { notFound } from '#shared/engine/errors.ts';
import { page } from '#shared/platform/page.ts';

/** Unknown addresses below a project get a page. The gateway would answer them with JSON. */
export const handler = page({
  operationId: 'showNothing',
  route: 'GET /{organizationId}/{projectId}/{path+}',
  needs: 'account',
  access: { table: 'none', artifacts: 'none' },
  path: { path: z.string() },
  show: () => {
    throw notFound('Page');
  },
});
