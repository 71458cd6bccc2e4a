import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startSsm } from '#infra/local/stores/ssm.ts';
import { Secrets } from '#shared/engine/aws/secrets.ts';
import { connectSecrets } from '#shared/platform/connect.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { temporaryFolder } from '#test/infra/local/child.ts';

const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d';
const SECRET = { organizationId: 'org', secretId: 'project/credential' };

test('A credential is encrypted with the key of the operator if the deployment has one, also if it is stored again', async () => {
  const file = join(await temporaryFolder(), 'secrets.json');
  const engine = await startSsm(file);
  onTestFinished(() => engine.close());
  const prefix = '/rundown/prod/notifications';
  const environment = {
    AWS_ENDPOINT_URL_SSM: engine.endpoint,
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
    [ENVIRONMENT.secretsPrefix]: prefix,
  };
  const readStored = async () =>
    JSON.parse(await readFile(file, 'utf8'))[`${prefix}/${SECRET.organizationId}/${SECRET.secretId}`];
  await new Secrets(prefix, environment).put(SECRET, 'first');
  expect(await readStored()).toEqual({ Value: 'first', Version: 1 });
  const secrets = connectSecrets({ ...environment, [ENVIRONMENT.secretsKey]: KEY })();
  await secrets.put(SECRET, 'second');
  expect(await readStored()).toEqual({ Value: 'second', Version: 2, KeyId: KEY });
  expect(await secrets.get(SECRET)).toBe('second');
});
