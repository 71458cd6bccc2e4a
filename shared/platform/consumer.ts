/** Declares a queue consumer. Queue, dead-letter queue, Lambda function and role are generated from it. */
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { Services } from '#shared/services.ts';
import type { Access } from './access.ts';
import { connectOnce } from './connect.ts';
import { logFailure, logNotes } from './log.ts';
import type { MessageSource, Outlet } from './outlets.ts';

export interface ConsumerDeclaration {
  /** The name of the source file, in camelCase. */
  readonly name: string;
  readonly source: MessageSource;
  readonly access: Access;
  readonly sends?: readonly Outlet[];
  readonly summary: string;
  /** How many times a message is delivered before it goes to the dead-letter queue. */
  readonly maxReceiveCount: number;
  /** Timeout of one invocation, which may handle several messages. */
  readonly timeoutSeconds: number;
  readonly messagesPerCall: number;
  /** When a message returns whose function was killed: the visibility timeout. Default: six times `timeoutSeconds`. */
  readonly retrySeconds?: number;
  /** Memory of the function. Lambda allocates CPU in proportion to it. Default: that of most functions. */
  readonly memoryMegabytes?: number;
  /** Whether the messages of one invocation are handled concurrently. Default: one after the other. */
  readonly concurrently?: boolean;
  /** Names of numeric properties of the notes that `handle` returns. These properties become metrics. */
  readonly metrics?: readonly string[];
}

interface Specification<Message extends z.ZodType> extends ConsumerDeclaration {
  readonly message: Message;
  /** For messages without an id: that of the request that caused the message. Otherwise their work gets the message's. */
  readonly findCause?: (message: z.output<Message>, services: Services) => Promise<string | undefined>;
  /**
   * Handles a message. Must be idempotent, because delivery is at least once. After an error, only this message returns
   * to the queue. Returns notes to be logged. `call` is the same object for all messages of one invocation.
   */
  readonly handle: (message: z.output<Message>, services: Services, call: object) => Promise<readonly object[]>;
}

/** The envelope that EventBridge puts around an event. Consumers declare only the schema of the event. */
const Envelope = z.object({ detail: z.unknown() });

/** Notices of S3, and messages of earlier releases, have no id. */
function findCorrelation(content: unknown): string | undefined {
  const correlation = WithCorrelation.safeParse(content);
  return correlation.success ? correlation.data.correlationId : undefined;
}

const WithCorrelation = z.object({ correlationId: z.string() });

export function consumer<Message extends z.ZodType>({
  message,
  findCause,
  handle,
  ...declaration
}: Specification<Message>) {
  const connect = connectOnce();
  const { name, source, concurrently = false } = declaration;

  /** Handles and logs one message. Returns false if handling it failed. */
  const attempt = async ({ messageId, body }: SQSRecord, call: object): Promise<boolean> => {
    let correlationId = messageId;
    try {
      const json: unknown = JSON.parse(body);
      const content = source === 'runEvent' || source === 'runEnd' ? Envelope.parse(json).detail : json;
      const parsedMessage = message.parse(content);
      correlationId = findCorrelation(content) ?? (await findCause?.(parsedMessage, connect(messageId))) ?? messageId;
      const notes = await handle(parsedMessage, connect(correlationId), call);
      logNotes('message handled', { consumer: name, messageId, correlationId }, notes);
      return true;
    } catch (error) {
      logFailure('message failed', { consumer: name, messageId, correlationId }, error);
      return false;
    }
  };

  const handler = async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const call = {};
    const successes = await mapConcurrently(Records, (one) => attempt(one, call), concurrently ? Records.length : 1);
    const failedRecords = Records.filter((_, place) => !successes[place]);
    return { batchItemFailures: failedRecords.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };

  return Object.assign(handler, { consumer: declaration satisfies ConsumerDeclaration });
}
