/** §5 The client secrets with which this deployment identifies itself to its own providers. */

import { readFile } from 'node:fs/promises';
import { DEPLOYMENT_PROVIDERS, SIGN_IN_SECRETS } from '#shared/model/sign-in/deployment-provider.ts';
import { command } from './command.ts';
import { choiceOption, optional, textOption } from './options.ts';
import { openSignInSecrets } from './store.ts';
import { UsageError } from './terminal/usage-error.ts';

export const SIGN_IN = [
  command({
    name: 'sign-in secret',
    does: 'store the client secret of GitHub or the provider at which people sign in',
    options: {
      provider: choiceOption(DEPLOYMENT_PROVIDERS, 'whose client secret it is'),
      credential: textOption('<file>', 'file with the client secret, or /dev/stdin'),
      prefix: optional(textOption('<path>', 'stack output SignInPrefix; needed with --table')),
    },
    run: async (context, { provider, credential, prefix }) => {
      if (context.isDeployed && prefix === undefined) throw new UsageError('Missing --prefix');
      const clientSecret = (await readFile(credential, 'utf8')).trim();
      if (clientSecret === '') throw new UsageError(`${credential} is empty. It must contain the client secret`);
      const secrets = await openSignInSecrets(context, prefix);
      await secrets.put({ organizationId: SIGN_IN_SECRETS, secretId: provider }, clientSecret);
      return [{ provider, state: 'stored' }];
    },
  }),
];
