/** The project as it would be with one more endpoint: what most deployments change. */
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT } from '#infra/build/declarations.ts';

const COPIED = ['functions', 'shared', 'infra', 'package.json', 'cdk.json', 'tsconfig.json'];

/** Its path beside `/v1`. */
export const NEW_ROUTE = '/health-of-the-update';

/** A copy in `directory`, whose new operation answers as `getHealth` does. */
export async function projectWithOneMoreRoute(directory: string): Promise<string> {
  const copy = join(directory, 'updated');
  for (const name of COPIED) await cp(join(PROJECT, name), join(copy, name), { recursive: true });
  await symlink(join(PROJECT, 'node_modules'), join(copy, 'node_modules'));
  const health = await readFile(join(copy, 'functions/api/get-health.ts'), 'utf8');
  const added = health.replace("'getHealth'", "'getUpdatedHealth'").replace("'GET /health'", `'GET ${NEW_ROUTE}'`);
  await writeFile(join(copy, 'functions/api/get-updated-health.ts'), added);
  return copy;
}
