import * as z from 'zod';
import { readAsset } from '#shared/pages/shell/asset-files.ts';
import { readClientPackage } from '#shared/pages/shell/client-packages.ts';
import { page } from '#shared/platform/page.ts';

export const getAsset = page({
  operationId: 'getAsset',
  route: 'GET /assets/{path+}',
  lambda: 'assets',
  needs: 'public',
  access: { table: 'none', artifacts: 'none' },
  path: { path: z.string() },
  show: ({ path, header }, services) => readAsset(services, path.path, header('accept-encoding') ?? ''),
});

export const getClient = page({
  operationId: 'getClient',
  route: 'GET /client/{path+}',
  lambda: 'client',
  needs: 'public',
  access: { table: 'none', artifacts: 'none' },
  path: { path: z.string() },
  show: ({ path }, services) => readClientPackage(services, path.path),
});
