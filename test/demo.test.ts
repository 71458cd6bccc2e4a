import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, temporaryFolder } from './infra/local/child.ts';

const DEMO = 'test/tools/demo/demo.ts';

describe('npm run demo', () => {
  test('`npm run demo` tells the user to run "npm start" first if the service was never started', async () => {
    const ended = await run([DEMO], { RUNDOWN_DATA: await temporaryFolder() });
    expect(ended).toEqual({ status: 1, output: expect.stringContaining('Run "npm start" in another terminal') });
  });

  test('`npm run demo` tells the user to run "npm start" first if the service was started before but is not running', async () => {
    const folder = await temporaryFolder();
    const local = {
      baseUrl: 'http://127.0.0.1:1/v1',
      recordUrl: 'http://127.0.0.1:1',
      organizationId: 'abc',
      projects: [{ projectId: 'abc123', name: 'Demo project' }],
      apiKeys: { readWrite: 'rdn_key_1', readOnly: 'rdn_key_2' },
    };
    await writeFile(join(folder, 'local.json'), JSON.stringify(local));
    const ended = await run([DEMO], { RUNDOWN_DATA: folder });
    expect(ended).toEqual({
      status: 1,
      output: expect.stringMatching(/^Error: Nothing answers at http:\/\/127\.0\.0\.1:1\/v1\. Run "npm start"/),
    });
  });
});
