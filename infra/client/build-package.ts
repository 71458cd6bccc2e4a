/** `npm run client` builds the command as an npm package and as a GitHub Action. */
import { join } from 'node:path';
import { buildClient } from './build.ts';

const FOLDER = join(import.meta.dirname, '../../cdk.out/client');

await buildClient(FOLDER);
process.stdout.write(`Built ${FOLDER}
As a GitHub Action: copy the folder to .github/actions/rundown of your repository, and commit it
As an npm package: install /client/rundown-cli.tgz of your service, or npm pack ${FOLDER}
`);
