/** `npm run client` builds the command as an npm package and as a GitHub Action. */
import { join } from 'node:path';
import { printLine } from '#infra/cli/terminal.ts';
import { buildClient } from './build.ts';

const FOLDER = join(import.meta.dirname, '../../cdk.out/client');

await buildClient(FOLDER);
printLine(`Built ${FOLDER}`);
printLine('As a GitHub Action: copy the folder to .github/actions/rundown of your repository, and commit it');
printLine(`As an npm package: npm pack ${FOLDER}, and install the file that it writes`);
