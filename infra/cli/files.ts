/** The command that compares the files of a restored table with the bucket. */

import { closeSync, openSync, writeSync } from 'node:fs';
import { FILE_LIMITS } from '#shared/engine/aws/limits.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { Bucket } from './archives/bucket.ts';
import { type CommandContext, command } from './command.ts';
import { durationOption, flagOption, optional, textOption } from './options.ts';
import { type FoundProblem, PROBLEMS, reconcileFiles } from './reconcile-files.ts';
import { refuseForeignStores } from './stack-outputs.ts';
import { makeProgressReporter } from './terminal/progress.ts';
import { UsageError } from './terminal/usage-error.ts';

const SAFE_AGE_SECONDS = 24 * 3600;

export function getBucketName({ environment, isDeployed }: CommandContext, bucketOption: string | undefined): string {
  const name = bucketOption ?? (isDeployed ? undefined : environment[ENVIRONMENT.artifactsBucket]);
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
        durationOption('minimum age of objects to delete and of files to confirm, 24h by default, at least 1h'),
      ),
      list: optional(textOption('<file>', 'file to write the problems to, one line of JSON each')),
    },
    run: async (context, { bucket: bucketOption, repair, 'older-than': seconds = SAFE_AGE_SECONDS, list }) => {
      if (seconds < FILE_LIMITS.uploadUrlSeconds)
        throw new UsageError('--older-than must be at least 1h, because upload links are valid for one hour');
      const bucket = getBucketName(context, bucketOption);
      const { environment, isDeployed, services, terminal } = context;
      if (repair && isDeployed) await refuseForeignStores({ table: environment[ENVIRONMENT.tableName], bucket });
      const file = list === undefined ? undefined : openSync(list, 'w');
      const counts = new Map<string, { found: number; repaired: number; bytes: number }>();
      const onProblem = (fileProblem: FoundProblem) => {
        const count = counts.get(fileProblem.problem) ?? { found: 0, repaired: 0, bytes: 0 };
        count.found += 1;
        if (fileProblem.repaired) count.repaired += 1;
        count.bytes += fileProblem.bytes ?? 0;
        counts.set(fileProblem.problem, count);
        if (file !== undefined) writeSync(file, `${JSON.stringify(fileProblem)}\n`);
      };
      await reconcileFiles(services, new Bucket(bucket), {
        repair,
        safeAge: seconds * 1000,
        onProblem,
        onProgress: makeProgressReporter(
          terminal,
          ({ runs, objects }) => `${runs} runs and ${objects} objects compared`,
        ),
      });
      if (file !== undefined) closeSync(file);
      return Object.entries(PROBLEMS).map(([problem, meaning]) => ({
        problem,
        found: 0,
        repaired: 0,
        bytes: 0,
        ...counts.get(problem),
        meaning,
      }));
    },
  }),
];
