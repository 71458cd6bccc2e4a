/** Runs a template with a missing permission. The local runner then denies access, as AWS does. */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '#infra/local/service.ts';
import { OPERATOR } from '#shared/access/actor.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { makeServices } from '#shared/platform/connect.ts';
import { client } from '#test/harness/client.ts';
import { findAssembly, findEngines, findPackages } from '#test/harness/stage.ts';

/** Copies the test assembly without the permissions for the partition keys of this pattern, such as `AUDIT#*`. */
async function withoutGrant(leading: string): Promise<string> {
  const assembly = await mkdtemp(join(tmpdir(), 'rundown-grants-'));
  onTestFinished(() => rm(assembly, { recursive: true }));
  await cp(await findAssembly(), assembly, { recursive: true });
  for (const name of (await readdir(assembly)).filter((file) => file.endsWith('.template.json'))) {
    const text = await readFile(join(assembly, name), 'utf8');
    await writeFile(join(assembly, name), text.replaceAll(`"${leading}"`, '"NOTHING#*"'));
  }
  return assembly;
}

async function createWebhookIn(assembly: string) {
  const lines: string[] = [];
  const own = `roles-${crypto.randomUUID().slice(0, 8)}`;
  const running = await startService({
    assembly,
    packages: await findPackages(),
    engines: await findEngines(),
    tableName: own,
    bucketName: own,
    queuePrefix: `${own}-`,
    permissions: true,
    schedules: false,
    streams: false,
    onLog: (line) => lines.push(line),
    onFault: (line) => lines.push(line),
  });
  onTestFinished(() => running.close());
  Object.assign(process.env, running.environment);
  const connected = makeServices({ ...running.environment });
  const { organizationId } = await createOrganization(connected, { name: 'Acme', actor: OPERATOR });
  const { projectId } = await createProject(connected, { organizationId, name: 'Shop', actor: OPERATOR });
  const key = { organizationId, label: 'CI', level: 'readWrite', actor: OPERATOR } as const;
  const { value } = await createApiKey(connected, key);
  const answer = await client(running.origin, value).post(`/webhooks?projectId=${projectId}`, {
    url: 'https://receiver.example.com/hook',
  });
  return { status: answer.status, lines };
}

test('a function whose role may not access its rows fails, and its log names the missing permission', async () => {
  expect(await createWebhookIn(await findAssembly())).toMatchObject({ status: 201 });
  const { status, lines } = await createWebhookIn(await withoutGrant('AUDIT#*'));
  expect(status).toBe(500);
  expect(lines.join('\n')).toContain(
    'rundown-dev-createWebhook is not authorized to perform dynamodb:PutItem on rows of AUDIT',
  );
});
