/** A process that runs one function, one call at a time. `lambda-processes.ts` starts it. */
import { type FunctionHandler, type HandlerSource, loadHandler } from '#infra/local/lambda/function-runtime.ts';
import type { LambdaAnswer } from './lambda-processes.ts';

type Context = Parameters<FunctionHandler>[1];
type Call = { readonly event: unknown; readonly context: Context; readonly milliseconds: number };

let handler: FunctionHandler | undefined;
const output = { onLog: () => {}, onFault: (line: string) => void process.stderr.write(`${line}\n`) };

async function answerTo({ event, context, milliseconds }: Call): Promise<LambdaAnswer> {
  const deadline = performance.now() + milliseconds;
  const getRemainingTimeInMillis = () => Math.max(0, Math.round(deadline - performance.now()));
  try {
    return { result: await handler?.(event, { ...context, getRemainingTimeInMillis }) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

process.on('message', async (message: HandlerSource | Call) => {
  if ('event' in message) process.send?.(await answerTo(message));
  else handler = loadHandler(message, output);
});
