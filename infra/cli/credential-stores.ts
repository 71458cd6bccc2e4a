/** Connects to the credentials of notifications and issue trackers, which are not in the table. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { connectSecrets, connectTrackers } from '#shared/platform/connect.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import type { CommandContext } from './command.ts';

/**
 * The stores of the same service as the table. For a deployed environment, it uses the credentials of the AWS CLI and
 * these path prefixes.
 */
export async function credentialStores(
  { environment, isDeployed }: Pick<CommandContext, 'environment' | 'isDeployed'>,
  prefixes: { readonly secrets?: string | undefined; readonly trackers?: string | undefined },
) {
  const known = isDeployed ? { ...environment, ...(await deployed(prefixes)) } : environment;
  const trackers = connectTrackers(known);
  return { secrets: connectSecrets(known), trackers: () => trackers().secrets };
}

async function deployed({
  secrets,
  trackers,
}: {
  readonly secrets?: string | undefined;
  readonly trackers?: string | undefined;
}) {
  const { config } = new DynamoDBClient({});
  const { accessKeyId, secretAccessKey, sessionToken } = await config.credentials();
  return {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
    AWS_REGION: await config.region(),
    [ENVIRONMENT.secretsPrefix]: secrets,
    [ENVIRONMENT.trackersPrefix]: trackers,
  };
}
