/** S3 notifications of new objects, which are sent before the response to the upload. */

import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { sendToQueue } from '#infra/local/host/aws-request.ts';
import { readIfThere, replaceFile } from '#infra/local/host/json-files.ts';
import { LOOPBACK } from '#infra/local/host/loopback.ts';
import { ACCOUNT, REGION } from '#infra/local/template/physical-ids.ts';

const EVENT = 's3:ObjectCreated:Put';

const Prefix = z.strictObject({
  S3Key: z.strictObject({ Rules: z.tuple([z.strictObject({ Name: z.literal('prefix'), Value: z.string() })]) }),
});

/** Supported are notifications to queues about new objects, optionally only those whose keys start with a prefix. */
export const NotificationConfiguration = z.strictObject({
  QueueConfigurations: z.array(
    z.strictObject({ Event: z.literal(EVENT), Queue: z.string(), Filter: Prefix.optional() }),
  ),
});
export type NotificationConfiguration = z.infer<typeof NotificationConfiguration>;

/** The body of PutBucketNotificationConfiguration. */
export const formatNotificationXml = ({ QueueConfigurations }: NotificationConfiguration): string =>
  `<NotificationConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${QueueConfigurations.map(
    ({ Event, Queue, Filter }) =>
      `<QueueConfiguration><Queue>${Queue}</Queue><Event>${Event}</Event>${formatFilterXml(Filter)}</QueueConfiguration>`,
  ).join('')}</NotificationConfiguration>`;

const formatFilterXml = (filter: z.infer<typeof Prefix> | undefined): string => {
  if (!filter) return '';
  const [{ Name, Value }] = filter.S3Key.Rules;
  return `<Filter><S3Key><FilterRule><Name>${Name}</Name><Value>${Value}</Value></FilterRule></S3Key></Filter>`;
};

interface StoredObject {
  readonly bucket: string;
  readonly key: string;
  readonly bytes: number;
  /** The ETag in hex, without quotes. */
  readonly eTag: string;
}

export interface Notifications {
  /** Configures the notifications of a bucket with the XML of `formatNotificationXml`. Throws on other XML. */
  configure(bucket: string, xml: string): Promise<void>;
  /** Notifies the queues for the key of the object. Resolves when all have acknowledged it, throws if one does not. */
  created(object: StoredObject): Promise<void>;
}

/** Matches the ARN and the optional prefix of a queue configuration, in the text that follows `<Queue>`. */
const CONFIGURED = /^([^<]+)<(?:.*<Value>([^<]+)<)?/s;

type QueueConfiguration = NotificationConfiguration['QueueConfigurations'][number];

const toQueueConfiguration = ({ queue, prefix }: { queue: string; prefix: string }): QueueConfiguration => ({
  Event: EVENT,
  Queue: queue,
  ...(prefix ? { Filter: { S3Key: { Rules: [{ Name: 'prefix', Value: prefix }] } } } : {}),
});

const Setting = z.object({ queues: z.array(z.object({ queue: z.string(), prefix: z.string() })) });

/** Persists the configuration in `directory`, so that uploads right after a restart also send their events. */
export async function openBucketNotifications(directory: string, sqsEndpoint: string): Promise<Notifications> {
  await mkdir(directory, { recursive: true });
  const fileOf = (bucket: string) => join(directory, `${encodeURIComponent(bucket)}.json`);
  return {
    configure: async (bucket, xml) => {
      const queues = xml
        .split('<Queue>')
        .slice(1)
        .map((rest) => {
          const [, queue = '', prefix = ''] = CONFIGURED.exec(rest) ?? [];
          return { queue, prefix };
        });
      const configuration = { QueueConfigurations: queues.map(toQueueConfiguration) };
      if (formatNotificationXml(configuration) !== xml)
        throw new Error(
          'The local S3 supports only s3:ObjectCreated:Put notifications to queues, with an optional prefix. The configuration of the bucket asks for other notifications',
        );
      await replaceFile(fileOf(bucket), { queues } satisfies z.infer<typeof Setting>);
    },
    created: async (object) => {
      const setting = await readIfThere(fileOf(object.bucket));
      const { queues } = Setting.parse(setting === undefined ? { queues: [] } : JSON.parse(setting));
      for (const { queue, prefix } of queues)
        if (object.key.startsWith(prefix))
          await sendToQueue(sqsEndpoint, queue, buildCreatedEvent(object), 'a notification');
    },
  };
}

/** The event of a new object, as in the Amazon S3 user guide, "Event message structure", version 2.1. */
const buildCreatedEvent = ({ bucket, key, bytes, eTag }: StoredObject): object => ({
  Records: [
    {
      eventVersion: '2.1',
      eventSource: 'aws:s3',
      awsRegion: REGION,
      eventTime: new Date().toISOString(),
      eventName: 'ObjectCreated:Put',
      userIdentity: { principalId: ACCOUNT },
      requestParameters: { sourceIPAddress: LOOPBACK },
      responseElements: { 'x-amz-request-id': randomBytes(8).toString('hex').toUpperCase(), 'x-amz-id-2': 'local' },
      s3: {
        s3SchemaVersion: '1.0',
        configurationId: 'local',
        bucket: { name: bucket, ownerIdentity: { principalId: ACCOUNT }, arn: `arn:aws:s3:::${bucket}` },
        object: { key: encodeKey(key), size: bytes, eTag, sequencer: Date.now().toString(16).toUpperCase() },
      },
    },
  ],
});

/** Encodes as in a query string, but keeps slashes. */
const encodeKey = (key: string): string => new URLSearchParams([['', key]]).toString().slice(1).replaceAll('%2F', '/');
