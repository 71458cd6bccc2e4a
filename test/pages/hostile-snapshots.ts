/** Recorded pages that try to run scripts in the trace viewer. Each page calls `ran(name)` if it succeeds. */
import { archive } from '#test/context/trace/archives.ts';
import { lineOf } from '#test/context/trace/recordings.ts';

/** An element as Playwright records it: name, attributes, children. */
type Recorded = string | [name: string, attributes: Readonly<Record<string, string>>, ...children: Recorded[]];

export interface HostileSnapshot {
  readonly name: string;
  readonly doctype: string;
  readonly html: Recorded;
}

/** The name of the last snapshot in the trace, which contains no attack. */
export const HARMLESS = 'harmless';

const script = (name: string): string => `<script>ran('${name}')</script>`;

/**
 * The attacks. `stranger` is the origin of a server that answers `/<name>` with a page and `/<name>.js` with a script.
 * Both call `ran`.
 */
export function hostileSnapshots(stranger: string): HostileSnapshot[] {
  const bodies: Readonly<Record<string, Recorded[]>> = {
    script: [['SCRIPT', {}, "ran('script')"]],
    'script of a stranger': [['SCRIPT', { src: `${stranger}/script of a stranger.js` }]],
    'base address': [
      ['BASE', { href: `${stranger}/` }],
      ['SCRIPT', { src: 'base address.js' }],
    ],
    'error handler': [['IMG', { src: 'data:,', onerror: "ran('error handler')" }]],
    'load handler': [['svg', { onload: "ran('load handler')" }]],
    'focus handler': [['INPUT', { autofocus: '', onfocus: "ran('focus handler')" }]],
    srcdoc: [['IFRAME', { srcdoc: `<script>parent.ran('srcdoc')</script>` }]],
    'frame of script': [['IFRAME', { src: "javascript:parent.ran('frame of script')" }]],
    'frame of a stranger': [['IFRAME', { src: `${stranger}/frame of a stranger` }]],
    object: [['OBJECT', { data: `${stranger}/object` }]],
    'link to script': [['A', { href: "javascript:ran('link to script')" }, 'a link']],
    'form to script': [
      ['FORM', { action: "javascript:ran('form to script')" }, ['BUTTON', { type: 'submit' }, 'a button']],
    ],
    'meta refresh': [['META', { 'http-equiv': 'refresh', content: `0;url=${stranger}/meta refresh` }]],
    text: [script('text')],
    'end of style': [['STYLE', {}, `</style>${script('end of style')}`]],
    'end of title': [['TITLE', {}, `</title>${script('end of title')}`]],
    'end of textarea': [['TEXTAREA', {}, `</textarea>${script('end of textarea')}`]],
    'end of attribute': [['P', { title: `">${script('end of attribute')}` }]],
    'attribute name': [['P', { [`x>${script('attribute name')}<p y`]: '' }]],
    'element name': [[`P>${script('element name')}<P`, {}]],
  };
  const snapshots = Object.entries(bodies).map(([name, body]) => snapshotOf(name, body));
  return [...snapshots, snapshotOf('doctype', [], `html>${script('doctype')}`)];
}

const snapshotOf = (name: string, body: readonly Recorded[], doctype = 'html'): HostileSnapshot => ({
  name,
  doctype,
  html: ['HTML', {}, ['HEAD', {}], ['BODY', {}, ['P', {}, `page: ${name}`], ...body]],
});

/** Returns the snapshot as a viewer without protection would show it. */
export const unprotected = ({ doctype, html }: HostileSnapshot): string => `<!DOCTYPE ${doctype}>${naive(html)}`;

function naive(node: Recorded): string {
  if (typeof node === 'string') return node;
  const [name, attributes, ...children] = node;
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`);
  return `<${name}${pairs.join('')}>${children.map(naive).join('')}</${name}>`;
}

/**
 * Creates a trace with one action per snapshot, and a last one for a harmless snapshot. The title of each action is the
 * name of its snapshot.
 */
export function traceOf(snapshots: readonly HostileSnapshot[]): Uint8Array<ArrayBuffer> {
  const options = { browserName: 'chromium', options: {}, platform: 'linux', sdkLanguage: 'javascript' };
  const begin = { version: 10, type: 'context-options', origin: 'library', wallTime: 1_795_167_609_265, ...options };
  const all = [...snapshots, snapshotOf(HARMLESS, [])];
  const lines = all.flatMap((snapshot, index) => actionOf(snapshot, index));
  const trace = [lineOf({ ...begin, monotonicTime: 1000 }), ...lines].join('');
  return new Uint8Array(
    archive([
      { name: '0-trace.trace', content: trace },
      { name: '0-trace.network', content: '' },
    ]),
  );
}

function actionOf({ name, doctype, html }: HostileSnapshot, index: number): string[] {
  const time = 1000 + index * 10;
  const callId = `call@${index}`;
  const frame = { pageId: 'page@1', frameId: 'frame@1', frameUrl: 'http://shop.example/', isMainFrame: true };
  const size = { viewport: { width: 1280, height: 720 }, collectionTime: 1, resourceOverrides: [] };
  const taken = { timestamp: time + 1, wallTime: 1_795_167_609_265 + time, callId, phase: 'after' };
  const before = { type: 'before', callId, startTime: time, class: 'Frame', method: 'goto', title: name, params: {} };
  return [
    lineOf({ ...before, pageId: frame.pageId }),
    lineOf({ type: 'frame-snapshot', snapshot: { ...taken, ...frame, ...size, doctype, html } }),
    lineOf({ type: 'after', callId, endTime: time + 2 }),
  ];
}
