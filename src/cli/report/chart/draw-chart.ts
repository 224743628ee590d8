import type { Chart } from './chart.ts'
import { chartSpec } from './chart-spec.ts'

/** Of the page's column, of a half of it, and of a phone. */
export const WIDTHS_PIXELS = { wide: 880, half: 420, narrow: 340 }

/**
 * The chart as the inner part of an SVG element, and the size of its view box. It holds no script, no style and no
 * address: colours are variables of the page that it is put into, names are escaped.
 */
export async function drawChart(
  chart: Chart,
  widthPixels: number,
): Promise<{ widthPixels: number; heightPixels: number; inner: string }> {
  // Only reports as pages pay for it.
  const vega = await import('vega')
  const view = new vega.View(vega.parse(chartSpec(chart, widthPixels)), { renderer: 'none', logLevel: vega.Error })
  try {
    const svg = await view.toSVG()
    const [, width, height, inner = ''] = /^<svg[^>]* viewBox="0 0 ([\d.]+) ([\d.]+)">(.*)<\/svg>$/s.exec(svg) ?? []
    if (width === undefined) throw new Error('vega has drawn something else than an SVG element')
    return { widthPixels: Number(width), heightPixels: Number(height), inner: withoutNoise(inner) }
  } finally {
    view.finalize()
  }
}

/** The element around is an image with a title; what assistive technology does not read need not be in the page. */
function withoutNoise(svg: string): string {
  return svg.replaceAll(/<[a-z]+ [^<>]*>/g, (tag) =>
    tag.replaceAll(/ (?:role|aria-[a-z]+|pointer-events|class)="[^"]*"/g, ''),
  )
}
