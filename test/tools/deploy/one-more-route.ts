/** Copies the project and adds an endpoint, which is the most common change. */
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT } from '#infra/build/declarations.ts';

const COPIED = ['functions', 'shared', 'infra', 'package.json', 'cdk.json', 'tsconfig.json'];

/** The path of the new endpoint. */
export const NEW_ROUTE = '/health-of-the-update';

/** Makes a copy in `directory`, whose new operation responds like `getHealth`. */
export async function projectWithOneMoreRoute(directory: string): Promise<string> {
  const copy = join(directory, 'updated');
  for (const name of COPIED) await cp(join(PROJECT, name), join(copy, name), { recursive: true });
  await symlink(join(PROJECT, 'node_modules'), join(copy, 'node_modules'));
  const health = await readFile(join(copy, 'functions/api/get-health.ts'), 'utf8');
  const added = health.replace("'getHealth'", "'getUpdatedHealth'").replace("'GET /health'", `'GET ${NEW_ROUTE}'`);
  await writeFile(join(copy, 'functions/api/get-updated-health.ts'), added);
  return copy;
}
