import * as z from 'zod';
import { readClientPackage } from '#shared/pages/shell/client-packages.ts';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'getClient',
  route: 'GET /client/{path+}',
  needs: 'public',
  access: { table: 'none', artifacts: 'none' },
  path: { path: z.string() },
  show: ({ path }, services) => readClientPackage(services, path.path),
});
