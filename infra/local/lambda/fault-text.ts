/** Formats the log line of a function that failed for people: what failed, and the stack of each error. */
import * as z from 'zod';

const Fault = z.looseObject({ message: z.string(), error: z.unknown() });

interface LoggedError {
  readonly stack: string;
  readonly cause?: LoggedError | undefined;
}
const LoggedError: z.ZodType<LoggedError> = z.object({
  stack: z.string(),
  get cause() {
    return LoggedError.optional();
  },
});

/** `undefined` if the line is not about an error with a stack. */
export function formatFault(line: string): string | undefined {
  const fault = Fault.safeParse(parseObject(line)).data;
  const error = LoggedError.safeParse(fault?.error).data;
  if (!fault || !error) return undefined;
  const { message, error: _, ...subject } = fault;
  const parts = Object.entries(subject).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return [`${message}: ${parts.join(', ')}`, ...formatErrors(error)].join('\n');
}

const formatErrors = ({ stack, cause }: LoggedError): string[] =>
  cause ? [stack, ...formatErrors(cause).map((text) => `Caused by: ${text}`)] : [stack];

function parseObject(line: string): unknown {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
