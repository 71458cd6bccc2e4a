/** `npm run client` builds the package of the command. `npm publish cdk.out/client` publishes it. */
import { join } from 'node:path';
import { printLine } from '#infra/cli/terminal.ts';
import { buildClient } from './build.ts';

const FOLDER = join(import.meta.dirname, '../../cdk.out/client');

await buildClient(FOLDER);
printLine(`Built ${FOLDER}. Publish it with: npm publish ${FOLDER}`);
