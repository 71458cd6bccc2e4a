/** Opens the table to administer: a deployed table if a name is given, or else the table of the local service. */

import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { parseData, readIfThere } from '#infra/local/host/json-files.ts';
import { ChooseService, findDataFolder } from '#infra/local/host/running-services.ts';
import {
  connectProviders,
  connectSecrets,
  connectSignInSecrets,
  connectTrackers,
  makeCoreServices,
} from '#shared/platform/connect.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import type { CoreServices, PrivateReceivers } from '#shared/services.ts';

export class NoStore extends Error {
  override name = 'NoStore';
}

const NEXT =
  'Run "npm start" in another terminal, or name a deployed table with --table <name>. ' +
  'If the data is in another folder, set RUNDOWN_DATA=<folder>';

/** The environment variables of the local functions, which `npm start` writes to a file. */
const Environment = z.object({ AWS_ENDPOINT_URL_DYNAMODB: z.url() }).catchall(z.string());

/** The opened table, and the environment variables that name the other stores of the same service. */
export interface Store {
  readonly services: CoreServices;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly isDeployed: boolean;
}

export async function openStore(table: string | undefined): Promise<Store> {
  if (table) {
    const environment = { ...process.env, [ENVIRONMENT.tableName]: table };
    return { services: makeCoreServices(environment), environment, isDeployed: true };
  }
  const environment = await readLocalEnvironment();
  // The SDK finds endpoint and credentials in the environment of its process.
  Object.assign(process.env, environment);
  return { services: makeCoreServices(environment), environment, isDeployed: false };
}

/** This is only a first check: functions that send check each address against the policy of their deployment. */
export const getPrivateReceivers = ({ isDeployed }: Pick<Store, 'isDeployed'>): PrivateReceivers =>
  isDeployed ? 'network' : 'machine';

/** Adds the credentials and the region that the AWS SDK finds, such as those of the AWS CLI, to the environment. */
export async function addAwsCredentials(environment: Store['environment']): Promise<Store['environment']> {
  const { config } = new DynamoDBClient({});
  const { accessKeyId, secretAccessKey, sessionToken } = await config.credentials();
  return {
    ...environment,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
    AWS_REGION: await config.region(),
  };
}

/** For a deployment, uses the AWS credentials of the operator and the path prefixes of the stores. */
export async function openCredentialStores(
  { environment, isDeployed }: Pick<Store, 'environment' | 'isDeployed'>,
  prefixes: Readonly<Partial<Record<'secrets' | 'trackers' | 'providers', string>>>,
) {
  const storeEnvironment = isDeployed
    ? {
        ...(await addAwsCredentials(environment)),
        [ENVIRONMENT.secretsPrefix]: prefixes.secrets,
        [ENVIRONMENT.trackersPrefix]: prefixes.trackers,
        [ENVIRONMENT.providersPrefix]: prefixes.providers,
      }
    : environment;
  return {
    secrets: connectSecrets(storeEnvironment),
    trackers: connectTrackers(storeEnvironment),
    providers: connectProviders(storeEnvironment),
  };
}

/** The store of the client secrets of the deployment's own providers. `prefix`: the stack output SignInPrefix. */
export async function openSignInSecrets(
  { environment, isDeployed }: Pick<Store, 'environment' | 'isDeployed'>,
  prefix: string | undefined,
) {
  const storeEnvironment = isDeployed
    ? { ...(await addAwsCredentials(environment)), [ENVIRONMENT.signInPrefix]: prefix }
    : environment;
  return connectSignInSecrets(storeEnvironment)();
}

async function readLocalEnvironment(): Promise<z.infer<typeof Environment>> {
  const folder = await findDataFolder().catch((error: unknown) => {
    throw error instanceof ChooseService ? new NoStore(error.message) : error;
  });
  const file = join(folder, 'store.json');
  const text = await readIfThere(file);
  if (text === undefined) throw new NoStore(`No local service has stored data in ${folder}. ${NEXT}`);
  const environment = parseData(Environment, text);
  if (!environment) throw new NoStore(`${file} is damaged. Restart the service to write it again. ${NEXT}`);
  // The endpoint is checked here, because the SDK would retry for a long time and then report an AWS error.
  await fetch(environment.AWS_ENDPOINT_URL_DYNAMODB, { method: 'HEAD' }).catch(() => {
    throw new NoStore(`The service whose data is in ${folder} is not running. ${NEXT}`);
  });
  return environment;
}
