/** Runs the service and the bare server in a separate process, so that the client does not slow them down. */
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { startService } from '#infra/local/service.ts';
import { startBareServer } from './bare-server.ts';

export const Served = z.object({ own: z.string(), bare: z.string() });

const Options = z.object({
  assembly: z.string(),
  tableName: z.string(),
  /** Whether the service handles new table rows, and runs schedules, in the background. Both are on by default. */
  streams: z.boolean().optional(),
  schedules: z.boolean().optional(),
  engines: z.object({
    dynamodbEndpoint: z.string(),
    s3Endpoint: z.string(),
    sqsEndpoint: z.string(),
    kmsEndpoint: z.string(),
    ssmEndpoint: z.string(),
  }),
});

if (import.meta.main) {
  const options = Options.parse(JSON.parse(await text(process.stdin)));
  const service = await startService({
    ...options,
    bucketName: options.tableName,
    queuePrefix: `${options.tableName}-`,
  });
  const served: z.infer<typeof Served> = { own: service.origin, bare: await startBareServer() };
  process.stdout.write(`${JSON.stringify(served)}\n`);
}
