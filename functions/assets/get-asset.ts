import * as z from 'zod';
import { readAsset } from '#shared/pages/shell/asset-files.ts';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'getAsset',
  route: 'GET /assets/{path+}',
  needs: 'public',
  access: { table: 'none', artifacts: 'none' },
  path: { path: z.string() },
  show: ({ path, header }, services) => readAsset(services, path.path, header('accept-encoding') ?? ''),
});
