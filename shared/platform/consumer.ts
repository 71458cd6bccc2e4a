/** One declaration per queue consumer. Queue, dead-letter queue, Lambda and its role derive from it. */
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { Services } from '#shared/services.ts';
import { connectOnce } from './connect.ts';
import type { Access } from './declaration.ts';
import { logMessage, logNote } from './log.ts';
import type { MessageSource, Outlet } from './outlets.ts';

export interface ConsumerDeclaration {
  /** The file's name in camelCase. */
  readonly name: string;
  readonly source: MessageSource;
  readonly access: Access;
  readonly sends?: readonly Outlet[];
  readonly summary: string;
  /** The number of failures after which a message goes to the dead-letter queue. */
  readonly maxReceiveCount: number;
  /** The time limit of one call with all its messages. */
  readonly timeoutSeconds: number;
  readonly messagesPerCall: number;
  /** The time after which a message is handled again, if its function was killed. Default: six time-outs. */
  readonly retrySeconds?: number;
  /** Lambda's share of the processor grows with the memory. Default: that of all functions. */
  readonly memoryMegabytes?: number;
  /** Whether the messages of one call are handled concurrently. Default: in sequence. */
  readonly concurrently?: boolean;
  /** The members of the notes whose numbers become metrics. */
  readonly metrics?: readonly string[];
}

interface Specification<Message extends z.ZodType> extends ConsumerDeclaration {
  readonly message: Message;
  /**
   * Handles a message. It may be called more than once for one message. An error returns that message, and no other, to
   * the queue. Returns notes for the log. `call` is the same object for all messages of one call.
   */
  readonly handle: (message: z.output<Message>, services: Services, call: object) => Promise<readonly object[]>;
}

/** The envelope that the bus puts around an event. A consumer declares only the event. */
const Envelope = z.object({ detail: z.unknown() });

const contentOf = (source: MessageSource, body: unknown): unknown =>
  source === 'runEvent' || source === 'runEnd' ? Envelope.parse(body).detail : body;

export function consumer<Message extends z.ZodType>({ message, handle, ...declaration }: Specification<Message>) {
  const connect = connectOnce();
  const { name, source, concurrently = false } = declaration;

  /** Handles and logs one message. Returns whether it was handled. */
  const attempt = async ({ messageId, body }: SQSRecord, call: object): Promise<boolean> => {
    try {
      const notes = await handle(message.parse(contentOf(source, JSON.parse(body))), connect(), call);
      for (const note of notes) logNote({ consumer: name, messageId, note });
      return true;
    } catch (error) {
      logMessage({ consumer: name, messageId, error });
      return false;
    }
  };

  const handler = async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const call = {};
    const handled = await mapConcurrently(Records, (one) => attempt(one, call), concurrently ? Records.length : 1);
    const failed = Records.filter((_, place) => !handled[place]);
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };

  return Object.assign(handler, { consumer: declaration satisfies ConsumerDeclaration });
}
