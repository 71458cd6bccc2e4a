import * as z from 'zod';
import { notFound } from '#shared/engine/errors.ts';
import { page } from '#shared/platform/page.ts';

/** Unknown URLs below a project get a 404 page. Without this route, API Gateway would answer with JSON. */
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
