/** Connects to the credentials of notifications and issue trackers, which are not in the table. */
import { connectSecrets, connectTrackers } from '#shared/platform/connect.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import type { CommandContext } from './command.ts';
import { withCredentials } from './store.ts';

/**
 * The stores of the same service as the table. Those of a deployment are opened with the credentials of the AWS CLI, at
 * these path prefixes.
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
