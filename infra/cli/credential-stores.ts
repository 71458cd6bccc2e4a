/** Connects to the credentials of notifications and issue trackers, which are not in the table. */
import { connectSecrets, connectTrackers } from '#shared/platform/connect.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import type { CommandContext } from './command.ts';
import { withCredentials } from './store.ts';

/**
 * Opens the credential stores of the service that the table belongs to. Those of a deployment are at the path prefixes
 * in `prefixes`, and are opened with the credentials of the AWS CLI.
 */
export async function credentialStores(
  { environment, isDeployed }: Pick<CommandContext, 'environment' | 'isDeployed'>,
  prefixes: { readonly secrets?: string | undefined; readonly trackers?: string | undefined },
) {
  const { secrets, trackers: ofTrackers } = prefixes;
  const known = isDeployed
    ? {
        ...(await withCredentials(environment)),
        [ENVIRONMENT.secretsPrefix]: secrets,
        [ENVIRONMENT.trackersPrefix]: ofTrackers,
      }
    : environment;
  const trackers = connectTrackers(known);
  return { secrets: connectSecrets(known), trackers: () => trackers().secrets };
}
