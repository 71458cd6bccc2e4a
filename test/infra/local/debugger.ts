/** A debugger that speaks the inspector's protocol, and finds places in source files by source maps, as editors do. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

const Message = z.object({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
});
const Parsed = z.object({ scriptId: z.string(), url: z.string(), sourceMapURL: z.string() });
const Paused = z.object({ callFrames: z.array(z.object({ functionName: z.string() })) });

export interface Debugger {
  /** Sets a breakpoint at the first place of a line, in the bundle with this name. Lines count from 1. */
  readonly breakAt: (bundle: string, place: { readonly source: string; readonly line: number }) => Promise<void>;
  /** Waits for a breakpoint, continues, and returns the name of the function that was stopped. */
  readonly continueFromBreakpoint: () => Promise<string>;
  readonly close: () => void;
}

/** Connects to a process that prints "Debugger listening on <address>". */
export async function attachDebugger(address: string): Promise<Debugger> {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const scripts: z.infer<typeof Parsed>[] = [];
  const answers = new Map<number, (result: unknown) => void>();
  const paused = Promise.withResolvers<z.infer<typeof Paused>>();
  socket.addEventListener('message', ({ data }) => {
    const { id, method, params, result } = Message.parse(JSON.parse(String(data)));
    if (id !== undefined) answers.get(id)?.(result);
    if (method === 'Debugger.scriptParsed') scripts.push(Parsed.parse(params));
    if (method === 'Debugger.paused') paused.resolve(Paused.parse(params));
  });
  let number = 0;
  const send = (method: string, params: object = {}) => {
    const answer = Promise.withResolvers<unknown>();
    number += 1;
    answers.set(number, answer.resolve);
    socket.send(JSON.stringify({ id: number, method, params }));
    return answer.promise;
  };
  await send('Debugger.enable');
  return {
    breakAt: async (bundle, place) => {
      const script = scripts.find(({ url }) => url.endsWith(`/${bundle}/own.js`));
      if (script?.sourceMapURL !== 'own.js.map') throw new Error(`No script with a source map is the bundle ${bundle}`);
      await send('Debugger.setBreakpoint', {
        location: { scriptId: script.scriptId, ...findPlace(script.url, place) },
      });
    },
    continueFromBreakpoint: async () => {
      const { callFrames } = await paused.promise;
      await send('Debugger.resume');
      return callFrames[0]?.functionName ?? '';
    },
    close: () => socket.close(),
  };
}

function findPlace(url: string, { source, line }: { readonly source: string; readonly line: number }) {
  const file = fileURLToPath(url);
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  const lines = readFileSync(file, 'utf8').split('\n');
  const lineNumber = lines.findIndex((text, index) => {
    const entry = map.findEntry(index, text.search(/\S/));
    return 'originalSource' in entry && entry.originalSource.endsWith(source) && entry.originalLine === line - 1;
  });
  if (lineNumber === -1) throw new Error(`The bundle ${file} contains nothing of ${source}:${line}`);
  return { lineNumber, columnNumber: 0 };
}
