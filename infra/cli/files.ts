/** The command that compares the files of a restored table with the bucket. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { FILE_LIMITS } from '#shared/engine/aws/limits.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { Bucket } from './bucket.ts';
import { type CommandContext, type CommandRow, command } from './command.ts';
import { flagOption, optional, textOption, time } from './options.ts';
import { everyTwoSeconds } from './progress.ts';
import { type FileComparison, type FoundProblem, PROBLEMS, reconcileFiles } from './reconcile-files.ts';
import { refuseForeignStores } from './stack-outputs.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

const SAFE_AGE_SECONDS = 24 * 3600;

const progressOn = ({ errors }: Terminal) =>
  everyTwoSeconds(({ runs, objects }: FileComparison) => {
    errors.write(`... ${runs} runs and ${objects} objects compared\n`);
  });

export function bucketOf({ environment, isDeployed }: CommandContext, given: string | undefined): string {
  const name = given ?? (isDeployed ? undefined : environment[ENVIRONMENT.artifactsBucket]);
  if (name === undefined) throw new UsageError('Missing --bucket');
  return name;
}

export const FILES = [
  command({
    name: 'files reconcile',
    does: 'find files that the bucket lacks, and objects without a row, after a restore of the table',
    options: {
      bucket: optional(textOption('<name>', 'stack output ArtifactsBucket; needed with --table')),
      repair: flagOption('restore deleted files, confirm uploaded files, and delete objects without a row'),
      'older-than': optional(
        time('minimum age of objects to delete and of files to confirm, 24h by default, at least 1h'),
      ),
      list: optional(textOption('<file>', 'file to write the problems to, one line of JSON each')),
    },
    run: async (context, { bucket: given, repair, 'older-than': seconds = SAFE_AGE_SECONDS, list }) => {
      if (seconds < FILE_LIMITS.uploadUrlSeconds)
        throw new UsageError('--older-than must be at least 1h, because upload links are valid for one hour');
      const bucket = bucketOf(context, given);
      const { environment, isDeployed, services, terminal } = context;
      if (repair && isDeployed) await refuseForeignStores({ table: environment[ENVIRONMENT.tableName], bucket });
      const file = list === undefined ? undefined : openSync(list, 'w');
      const counts = new Map(Object.keys(PROBLEMS).map((problem) => [problem, { found: 0, repaired: 0, bytes: 0 }]));
      const onProblem = (one: FoundProblem) => {
        const count = counts.get(one.problem);
        if (count) {
          count.found += 1;
          count.repaired += Number(one.repaired);
          count.bytes += one.bytes ?? 0;
        }
        if (file !== undefined) writeSync(file, `${JSON.stringify(one)}\n`);
      };
      const how = { repair, safeAge: seconds * 1000, onProblem, onProgress: progressOn(terminal) };
      await reconcileFiles(services, new Bucket(bucket), how);
      if (file !== undefined) closeSync(file);
      return Object.entries(PROBLEMS).map(([problem, meaning]): CommandRow => {
        const { found = 0, repaired = 0, bytes = 0 } = counts.get(problem) ?? {};
        return { problem, found: String(found), repaired: String(repaired), bytes: String(bytes), meaning };
      });
    },
  }),
];
