/** A process of its own for what is timed, so that the client does not take its time: the service, and its rival. */
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { startService } from '#infra/local/service.ts';
import { startRival } from './rival.ts';

export const Served = z.object({ own: z.string(), rival: z.string() });

const Options = z.object({
  assembly: z.string(),
  tableName: z.string(),
  engines: z.object({
    dynamodbEndpoint: z.string(),
    s3Endpoint: z.string(),
    sqsEndpoint: z.string(),
  }),
});

if (import.meta.main) {
  const options = Options.parse(JSON.parse(await text(process.stdin)));
  const service = await startService({
    ...options,
    bucketName: options.tableName,
    queuePrefix: `${options.tableName}-`,
  });
  const served: z.infer<typeof Served> = { own: service.origin, rival: await startRival() };
  process.stdout.write(`${JSON.stringify(served)}\n`);
}
