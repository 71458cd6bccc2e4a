/** One declaration per queue consumer. Queue, dead-letter queue, Lambda and its role derive from it. */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type * as z from 'zod';
import type { Access } from './declaration.ts';
import { logMessage, logNote } from './log.ts';
import { connectOnce, type Services } from './services.ts';

/** What fills the queue. */
export type Source = 'artifactUploaded';

export interface ConsumerDeclaration {
  /** The file's name in camelCase. */
  readonly name: string;
  readonly source: Source;
  readonly access: Access;
  readonly summary: string;
  /** Messages that failed this often go to the dead-letter queue. */
  readonly maxReceiveCount: number;
  /** Of one call, with all messages that it brings. */
  readonly timeoutSeconds: number;
  readonly messagesPerCall: number;
}

interface Specification<Message extends z.ZodType> extends ConsumerDeclaration {
  readonly message: Message;
  /**
   * May be called more than once for one message. What it throws sends that message, and no other, round again. It
   * answers with what is to be said in the log.
   */
  readonly handle: (message: z.output<Message>, services: Services) => Promise<readonly object[]>;
}

export function consumer<Message extends z.ZodType>({ message, handle, ...declaration }: Specification<Message>) {
  const connect = connectOnce();

  const handler = async (event: SQSEvent): Promise<SQSBatchResponse> => {
    const batchItemFailures: { itemIdentifier: string }[] = [];
    for (const { messageId, body } of event.Records) {
      try {
        const notes = await handle(message.parse(JSON.parse(body)), connect());
        for (const note of notes) logNote({ consumer: declaration.name, messageId, note });
      } catch (error) {
        logMessage({ consumer: declaration.name, messageId, error });
        batchItemFailures.push({ itemIdentifier: messageId });
      }
    }
    return { batchItemFailures };
  };

  return Object.assign(handler, { consumer: declaration satisfies ConsumerDeclaration });
}
