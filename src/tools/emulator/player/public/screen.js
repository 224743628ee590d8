import { reportViews } from '/assets/watching.js'

/**
 * Sets up the video of a page.
 * @param recheck called when the service refuses a video that was open.
 * @returns `open` and `close`, for the gate.
 */
export function setUpScreen({ stage, settings, recheck }) {
  const video = stage.querySelector('video')
  const status = document.querySelector('[data-status]')
  const views = reportViews({ video, settings, onRefused: recheck })
  let resumeAt = 0
  let failures = 0

  video.addEventListener('error', () => {
    // The playback has expired, or the service does not answer. A new validation tells which; three times at most.
    failures += 1
    if (video.hasAttribute('src') && failures <= 3) recheck()
  })
  video.addEventListener('playing', () => {
    failures = 0
  })

  return {
    async open({ media_url, playback, viewer }) {
      if ('open' in stage.dataset) resumeAt = video.currentTime
      stage.dataset.open = ''
      video.src = media_url
      if (resumeAt > 0) video.currentTime = resumeAt
      views.begin(playback)
      status.textContent = viewer === null ? 'Video unlocked.' : `Logged in as ${viewer}. Video unlocked.`
      try {
        await video.play()
      } catch {
        // The browser plays only after a click: the viewer uses the controls.
      }
    },
    close() {
      // The last picture stays behind the sign-in, and the video later goes on from here.
      resumeAt = video.currentTime
      video.pause()
      delete stage.dataset.open
      status.textContent = ''
    },
  }
}
