/**
 * In the copy of the project that `npm run test:deploy` makes, the CDK CLI runs this program after the CDK app. The
 * program adapts the synthesized templates, and writes a list of the changes to a file.
 */
import { writeFile } from 'node:fs/promises';
import { closeGaps } from './assembly.ts';
import { CHANGES, UPDATE } from './project.ts';

const lines = await closeGaps(process.env.CDK_OUTDIR ?? '', process.env[UPDATE]);
await writeFile(process.env[CHANGES] ?? '', lines.join('\n'));
