/** A file has arrived in the bucket: its row says so, and how large it is. A trace is read. */
import * as z from 'zod';
import { artifactOfObject, artifacts } from '../resources/artifact.ts';
import type { Services } from '../services.ts';
import { PRESENT } from '../table/writes.ts';
import { analyseTrace, type TraceNote } from './analyse-trace.ts';

/** S3 writes keys as in a query string: blanks as `+`, the rest percent-encoded. */
const decodeKey = (key: string): string => decodeURIComponent(key.replaceAll('+', ' '));

/** What S3 puts into the queue. Its own test message, sent when the notification is set up, has no records. */
export const ObjectCreated = z.object({
  Records: z
    .array(
      z.object({
        s3: z.object({ object: z.object({ key: z.string().transform(decodeKey), size: z.int().nonnegative() }) }),
      }),
    )
    .default([]),
});

/** What is to be said of them in the log. */
export async function confirmArtifacts(
  services: Services,
  { Records }: z.output<typeof ObjectCreated>,
): Promise<TraceNote[]> {
  const notes: TraceNote[] = [];
  for (const { s3 } of Records) {
    const artifact = artifactOfObject(s3.object.key);
    // An object without a row was put there by somebody else, or its run is gone: there is nothing to tell anybody.
    if (!artifact) continue;
    const outcome = await services.table.update(artifacts, artifact, { set: [['bytes', s3.object.size]] }, PRESENT);
    if (outcome.done && outcome.item.type === 'trace') notes.push(await analyseTrace(services, outcome.item));
  }
  return notes;
}
