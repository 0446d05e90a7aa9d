import { definePlatform, secret, webAddress } from '../../definition.ts'
import { expressesWish } from '../wish-phrases.ts'

export const youtube = definePlatform({
  name: 'youtube',
  title: 'YouTube',
  votes: 'likes',
  isOpen: false,
  publicPages: { show: 'texts', termsUrl: 'https://www.youtube.com/t/terms' },
  // YouTube API Services, Developer Policies, III.E.4: data must be refreshed or deleted after 30 days.
  retentionDays: 30,
  variables: {
    YOUTUBE_API_URL: webAddress('https://www.googleapis.com/youtube/v3', 'base address of the YouTube Data API'),
    YOUTUBE_API_KEY: secret('a YouTube Data API key; required for YouTube'),
  },
  required: ['YOUTUBE_API_KEY'],
  // Most comments only talk about the video.
  contextIsTopic: ({ description }) => expressesWish(description),
  create: async (dependencies, { YOUTUBE_API_URL: baseUrl, YOUTUBE_API_KEY: key }) =>
    (await import('./search.ts')).createYoutube({ ...dependencies, baseUrl, key }),
})
